"""Tensor accesses whose numbers have every magnitude: sizes, strides, offsets, spans, blocks, views."""
