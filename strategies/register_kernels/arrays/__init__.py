"""Arrays of kernels on fragments, whatever a product is."""
