"""Backends in child processes."""
