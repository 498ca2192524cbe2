"""Training data: commits of a repository, made-up edits of its files, checks against evaluation sets, mixtures.

No module here knows a model or a tokenizer.
"""
