"""The command line. A leaf: nothing imports it. No module of it imports torch before an edit needs the model."""
