"""Counterfactuals, one module per specification."""
