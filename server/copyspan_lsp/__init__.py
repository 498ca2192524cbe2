"""The language server: a thin translator between LSP and the engine."""
