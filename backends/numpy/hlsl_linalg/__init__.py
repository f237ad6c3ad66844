"""The reference device for HLSL linear algebra."""
