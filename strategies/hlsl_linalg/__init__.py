"""What drawn programs of HLSL linear algebra are made of."""
