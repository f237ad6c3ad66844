"""Programs and caps of GL_NV_cooperative_matrix2, as data."""
