"""Training data and adapters that teach a model to choose spans. A leaf: the command line alone imports it.

`pairs` are texts before and after an edit, with the instruction. `data` makes them, checks them against evaluation sets
and mixes them, and knows no torch.
"""
