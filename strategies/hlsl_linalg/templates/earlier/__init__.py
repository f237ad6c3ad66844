"""Families of programs that only the text of 2025-09-19 has, or has in another way than the later one."""
