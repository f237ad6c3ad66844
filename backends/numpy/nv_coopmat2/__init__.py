"""The reference device for GL_NV_cooperative_matrix2."""
