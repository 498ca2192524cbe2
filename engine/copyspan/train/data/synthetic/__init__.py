"""Edits made up from real source files, the same ones for the same seed.

A maker takes a file and a source of randomness, and gives an edit or nothing. It knows one kind of edit, and no other
maker. Text that is there before and gone after is found by tokens (`lexer`, `code`), never by a model. `synthesize`
chooses files and makers, checks what they made, and varies white space and length.
"""
