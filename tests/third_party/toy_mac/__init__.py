"""A specification of one instruction, c += a * b on 8 x 8 matrices of bytes, as a third party would add it."""
