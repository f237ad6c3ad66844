"""The embedded default backend: independent of the oracle, which it may contradict on everything."""
