"""Counterfactuals of GL_NV_cooperative_matrix2."""
