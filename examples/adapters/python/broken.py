"""The adapter with one mistake, which mmaspec must find: the sign of A goes for B too."""

import adapter

right = adapter.mma


def mma(types, a, b, c):
    """A product for which mixed signs do not exist."""
    return right(types, a, b.view(a.dtype) if types[2] == "s32" else b, c)


adapter.mma = mma

if __name__ == "__main__":
    adapter.main()
