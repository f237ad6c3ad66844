"""What must be refused: one function per clause."""
