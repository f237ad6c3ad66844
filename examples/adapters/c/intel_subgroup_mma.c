// cl_intel_subgroup_matrix_multiply_accumulate: result = a * b + acc by all work-items of a sub-group.
#include "kernel.h"
#include "numbers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t component_bytes(const char* name) { return strstr(name, "short") || !strcmp(name, "half") ? 2 : 4; }

static size_t vector_bytes(const Json* fragment) {
  return component_bytes(json_text(fragment, "component")) * (size_t)json_number(fragment, "count", 1);
}

static int element_bits(const Json* fragment) {
  return atoi(strpbrk(json_text(fragment, "holds"), "0123456789"));
}

// acc and the result are vectors of float or half, of short where they are bfloat16, and of int where a and b are integers.
static const Format* accumulator(const Json* fragment) {
  const char* component = json_text(fragment, "component");
  if (!strcmp(component, "float")) return format_named("f32");
  if (!strcmp(component, "half")) return format_named("f16");
  return format_named(component_bytes(component) == 2 ? "bf16" : "i32");
}

static void call(const Kernel* kernel, const Json* step, int wave) {
  char left[8], right[8];  // such as u8_i8_matrix_mad_k32
  int k;
  if (sscanf(json_text(step, "function"), "%7[a-z0-9]_%7[a-z0-9]_matrix_mad_k%d", left, right, &k) != 3) exit(2);
  const Format *a = format_named(left), *b = format_named(right);
  const Json* declared = kernel_fragment(kernel, json_text(step, "d"));
  const Format* acc = accumulator(declared);
  const int m = (int)json_number(declared, "count", 1), n = kernel->lanes;
  const int each = k / n;  // columns of A that a work-item contributes, in one component for each row
  double left_matrix[8][64], right_matrix[64][16], sums[8][16];
  for (int item = 0; item < n; ++item) {
    const uint8_t* of_a = kernel_vector(kernel, step, "a", wave, item);
    for (int row = 0; row < m; ++row)
      for (int slot = 0; slot < each; ++slot) {
        const int column = kernel->broken ? item + n * slot : item * each + slot;  // broken: as if they took turns
        left_matrix[row][column] = value_of(a, element_at(of_a, (row * each + slot) * a->bits, a->bits));
      }
    const uint8_t* of_b = kernel_vector(kernel, step, "b", wave, item);  // one column of b, of acc and of the result
    for (int row = 0; row < k; ++row) right_matrix[row][item] = value_of(b, element_at(of_b, row * b->bits, b->bits));
    const uint8_t* of_acc = kernel_vector(kernel, step, "c", wave, item);
    for (int row = 0; row < m; ++row)
      sums[row][item] = of_acc ? value_of(acc, element_at(of_acc, row * acc->bits, acc->bits)) : 0;
  }
  for (int item = 0; item < n; ++item) {
    uint8_t* result = kernel_vector(kernel, step, "d", wave, item);
    for (int row = 0; row < m; ++row) {
      for (int at = 0; at < k; ++at) sums[row][item] += left_matrix[row][at] * right_matrix[at][item];
      put_element(result, row * acc->bits, acc->bits, bits_of(acc, sums[row][item]));
    }
  }
}

const Document INTEL_SUBGROUP_MMA = {"intel-subgroup-mma", "sub_group_size", vector_bytes, element_bits, call};
