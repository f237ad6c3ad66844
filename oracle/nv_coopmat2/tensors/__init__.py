"""Tensor layouts, views and decode functions, as the document defines them."""
