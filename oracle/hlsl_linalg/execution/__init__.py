"""What each instruction leaves in matrices, vectors and memory."""
