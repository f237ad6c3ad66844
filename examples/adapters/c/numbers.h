// Formats of matrix elements: bits to values and back. A double holds every value of them, and every product.
#ifndef NUMBERS_H
#define NUMBERS_H
#include <stdint.h>

typedef struct {
  const char* name;
  int bits;
  int exponent;  // bits of the exponent; 0: an integer
  int is_signed;
} Format;

const Format* format_named(const char* name);  // NULL if there is none
double value_of(const Format* format, uint32_t bits);
uint32_t bits_of(const Format* format, double value);  // integers wrap, floats are rounded to nearest, ties to even
#endif
