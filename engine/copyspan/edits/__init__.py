"""Snapshots, edit lists and programs: pure text algebra. Knows no model, no token ids, no editor."""
