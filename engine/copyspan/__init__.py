"""copyspan: edit text with a local language model that pays only for what changes.

The engine is a library without LSP, asyncio or user interface. Start at `copyspan.engine`. Importing this package, and
everything in `copyspan.edits` and `copyspan.grammar`, imports no torch.
"""

__version__ = "0.1.0"
