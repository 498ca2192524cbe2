"""The surface form of programs as an automaton over bytes and tokens. Knows no model and no torch."""
