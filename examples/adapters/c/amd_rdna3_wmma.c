// WMMA of RDNA3: D = A * B + C of 16 by 16 by 16, by all lanes of a wave.
#include "kernel.h"
#include "numbers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 16, VGPR = 32 };

static size_t vector_bytes(const Json* fragment) {
  const char* element = json_text(fragment, "element");
  return (*element == 'f' || *element == 'i' ? 4u : 2u) * (size_t)json_number(fragment, "count", 1);
}

// A and B are packed: the 16 elements of a lane fill its registers, 8 with f16, 4 with iu8. C and D are not.
static int element_bits(const Json* fragment) {
  const int bits = (int)vector_bytes(fragment) * 8, cd = !strcmp(json_text(fragment, "use"), "cd");
  return cd ? bits / (int)json_number(fragment, "count", 1) : bits / TILE;
}

// iu8 is signed or unsigned as the flag of the operand says.
static const Format* operand(const char* name, int is_signed) {
  char integer[8] = {is_signed ? 'i' : 'u'};
  if (*name != 'i') return format_named(name);
  strcpy(integer + 1, name + 2);
  return format_named(integer);
}

// The row of C and D that a lane has in a register; its column is lane % 16.
static int row_of(const Kernel* kernel, int lane, int vgpr) {
  const int groups = kernel->lanes / TILE;
  if (kernel->broken) return vgpr + TILE / groups * (lane / TILE);  // as if a lane's rows followed each other
  return vgpr * groups + lane / TILE;
}

static void call(const Kernel* kernel, const Json* step, int wave) {
  char result[8], factors[8];  // such as f32_16x16x16_f16_w32, or f16_16x16x16_f16_tied_w64
  if (sscanf(json_text(step, "builtin"), "%7[a-z0-9]_16x16x16_%7[a-z0-9]", result, factors) != 2) exit(2);
  const Format *a = operand(factors, json_number(step, "a_sign", 0) != 0), *acc = format_named(result);
  const Format* b = operand(factors, json_number(step, "b_sign", 0) != 0);
  const int clamp = json_number(step, "clamp", 0) != 0, tied = strstr(json_text(step, "builtin"), "tied") != NULL;
  const int half = json_number(step, "opsel", 0) ? VGPR / 2 : 0;  // the bits of a register in which C and D stand
  const int rows = kernel->lanes / TILE;  // of C and D that stand in one register of all lanes
  double left[TILE][TILE], right[TILE][TILE], sums[TILE][TILE];
  for (int lane = 0; lane < TILE; ++lane) {  // a row of A and a column of B each; further lanes hold copies of them
    const uint8_t* of_a = kernel_vector(kernel, step, "a", wave, lane);
    const uint8_t* of_b = kernel_vector(kernel, step, "b", wave, lane);
    for (int k = 0; k < TILE; ++k) {
      left[lane][k] = value_of(a, element_at(of_a, k * a->bits, a->bits));
      right[k][lane] = value_of(b, element_at(of_b, k * b->bits, b->bits));
    }
  }
  for (int lane = 0; lane < kernel->lanes; ++lane)
    for (int vgpr = 0; vgpr < TILE / rows; ++vgpr) {
      const int row = row_of(kernel, lane, vgpr);
      const uint8_t* of_c = kernel_vector(kernel, step, "c", wave, lane);
      double sum = of_c ? value_of(acc, element_at(of_c, vgpr * VGPR + half, acc->bits)) : 0;
      for (int k = 0; k < TILE; ++k) sum += left[row][k] * right[k][lane % TILE];
      sums[row][lane % TILE] = clamp && sum > INT32_MAX ? INT32_MAX : clamp && sum < INT32_MIN ? INT32_MIN : sum;
    }
  for (int lane = 0; lane < kernel->lanes; ++lane)  // now that all of C has been read, which may be D
    for (int vgpr = 0; vgpr < TILE / rows; ++vgpr) {
      const uint32_t bits = bits_of(acc, sums[row_of(kernel, lane, vgpr)][lane % TILE]);
      const uint8_t* of_c = kernel_vector(kernel, step, "c", wave, lane);
      uint8_t* of_d = kernel_vector(kernel, step, "d", wave, lane);
      if (tied) put_element(of_d, vgpr * VGPR, VGPR, of_c ? element_at(of_c, vgpr * VGPR, VGPR) : 0);
      put_element(of_d, vgpr * VGPR + half, acc->bits, bits);
    }
}

const Document AMD_RDNA3_WMMA = {"amd-rdna3-wmma", "wave_size", vector_bytes, element_bits, call};
