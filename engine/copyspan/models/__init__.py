"""Models: the protocol, the adapters behind it, and where weights come from."""
