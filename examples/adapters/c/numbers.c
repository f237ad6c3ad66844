#include "numbers.h"
#include <math.h>
#include <string.h>

static const Format FORMATS[] = {
    {"i4", 4, 0, 1},   {"u4", 4, 0, 0},   {"i8", 8, 0, 1},    {"u8", 8, 0, 0},
    {"i32", 32, 0, 1}, {"f16", 16, 5, 1}, {"bf16", 16, 8, 1}, {"f32", 32, 8, 1},
};

const Format* format_named(const char* name) {
  for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; ++i)
    if (!strcmp(FORMATS[i].name, name)) return &FORMATS[i];
  return NULL;
}

static int fraction_bits(const Format* format) { return format->bits - 1 - format->exponent; }
static int bias(const Format* format) { return (1 << (format->exponent - 1)) - 1; }
static int lowest(const Format* format) { return 1 - bias(format) - fraction_bits(format); }  // last place of subnormals

double value_of(const Format* format, uint32_t bits) {
  const uint32_t sign = UINT32_C(1) << (format->bits - 1);
  if (!format->exponent) return format->is_signed && bits & sign ? (double)bits - 2.0 * sign : (double)bits;
  const uint32_t one = UINT32_C(1) << fraction_bits(format), fraction = bits & (one - 1);
  const int exponent = (int)((bits & (sign - 1)) / one), last = (1 << format->exponent) - 1;
  double size = ldexp(exponent ? fraction + one : fraction, (exponent ? exponent - 1 : 0) + lowest(format));
  if (exponent == last) size = fraction ? NAN : HUGE_VAL;
  return bits & sign ? -size : size;
}

uint32_t bits_of(const Format* format, double value) {
  if (!format->exponent) return (uint32_t)(uint64_t)(int64_t)value & (UINT32_MAX >> (32 - format->bits));
  const uint32_t sign = signbit(value) ? UINT32_C(1) << (format->bits - 1) : 0;
  const uint64_t one = UINT64_C(1) << fraction_bits(format);
  const uint64_t infinity = ((UINT64_C(1) << format->exponent) - 1) * one;
  if (isnan(value)) return (uint32_t)(infinity + one / 2);
  int above;
  frexp(value, &above);
  if (isinf(value) || above > bias(format) + 1) return sign | (uint32_t)infinity;
  int last = above - 1 - fraction_bits(format);  // exponent of the last place
  if (value == 0 || last < lowest(format)) last = lowest(format);
  // The leading one of a normal number adds one to the exponent, and so does a fraction that is rounded up to two.
  const uint64_t found = (uint64_t)(last - lowest(format)) * one + (uint64_t)nearbyint(ldexp(fabs(value), -last));
  return sign | (uint32_t)(found < infinity ? found : infinity);
}
