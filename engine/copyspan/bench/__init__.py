"""The benchmark: what copying could save, and what it does save. A leaf: the command line alone imports it.

Edit sets are read by `cases`, results are written and read by `results`, and every table can be made again from stored
results. `ceiling`, `roundtrip`, `perturb` and `formats` need a tokenizer at most, and no torch. `kernel`, `edit` (which
compares `ways`) and `gpu` run a model in this process, `server` one behind the language server. `report` makes
BENCHMARKS.md of all that is stored.
"""
