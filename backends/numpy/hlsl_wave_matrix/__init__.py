"""The reference device for HLSL WaveMatrix."""
