"""The embedded default backend, written independently of the oracle."""
