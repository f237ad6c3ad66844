"""What the text of 2025-09-19 has alone or otherwise: instructions that were removed, its checks, its liberties."""
