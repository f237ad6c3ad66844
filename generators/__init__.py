"""What is generated from the oracle for others: golden examples as cases; later kernels, vectors and edge searches."""
