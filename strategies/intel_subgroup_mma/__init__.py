"""The parameter space of the sub-group matrix functions, and what is seen of it in a case; there is no grammar yet."""
