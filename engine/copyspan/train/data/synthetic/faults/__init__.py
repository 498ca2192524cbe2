"""Faults put into working code: the text before has the fault, the text after is the original.

`faults` chooses a function and words the instruction; the other modules say which changes make a fault of each kind.
"""
