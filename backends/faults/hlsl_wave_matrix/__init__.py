"""Counterfactuals of HLSL WaveMatrix."""
