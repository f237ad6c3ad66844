"""Defects seen in the world, planted in the reference device of every specification."""
