"""mmaspec: the executable specification and conformance suite for GPU matrix multiply-accumulate."""
