"""To describe."""
