"""Which real model the tests take: the smallest that edits at all."""

REAL_MODEL = "Qwen2.5-Coder-0.5B-Instruct"
