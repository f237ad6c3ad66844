"""The reference device for the sub-group matrix functions."""
