"""What became of legal values in a wrong tile: which elements hold those of which others."""
