// The adapter with one mistake, which mmaspec must find: the row stride is ignored.
#define BROKEN
#include "adapter.cpp"
