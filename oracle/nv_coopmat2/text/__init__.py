"""A program as a GLSL compute shader."""
