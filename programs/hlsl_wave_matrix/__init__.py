"""Programs and caps of HLSL WaveMatrix, as data."""
