"""The grammar of the sub-group matrix functions."""
