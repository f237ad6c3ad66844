"""Counterfactuals of the sub-group matrix functions."""
