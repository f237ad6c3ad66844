"""Arrays of programs that only the text of 2025-09-19 has."""
