"""What the specifications of matrices in registers have in common."""
