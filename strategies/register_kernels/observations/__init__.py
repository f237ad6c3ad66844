"""What is seen of kernels on fragments, whatever a product is."""
