"""Backends in any language: programs that speak a protocol of JSON lines and raw bytes (``docs/external.md``)."""
