"""GL_NV_cooperative_matrix2 on top of GL_KHR_cooperative_matrix."""
