#include "kernel.h"
#include <stdlib.h>
#include <string.h>

uint32_t element_at(const uint8_t* vector, int first, int bits) {
  uint32_t found = 0;
  for (int byte = (first + bits - 1) / 8; byte >= first / 8; --byte) found = found << 8 | vector[byte];
  return bits < 8 ? found >> first % 8 & ((1u << bits) - 1) : found;
}

void put_element(uint8_t* vector, int first, int bits, uint32_t value) {
  if (bits < 8) {
    const unsigned mask = ((1u << bits) - 1) << first % 8;
    vector[first / 8] = (uint8_t)((vector[first / 8] & ~mask) | (value << first % 8 & mask));
    return;
  }
  for (int byte = 0; byte < bits / 8; ++byte) vector[first / 8 + byte] = (uint8_t)(value >> 8 * byte);
}

static Fragment* fragment_named(const Kernel* kernel, const char* name) {
  for (int i = 0; i < kernel->fragments; ++i)
    if (!strcmp(json_text(kernel->fragment[i].declared, "name"), name)) return &kernel->fragment[i];
  return NULL;
}

const Json* kernel_fragment(const Kernel* kernel, const char* name) { return fragment_named(kernel, name)->declared; }

uint8_t* kernel_vector(const Kernel* kernel, const Json* step, const char* name, int wave, int lane) {
  const Fragment* found = fragment_named(kernel, json_text(step, name));
  return found ? found->vectors + found->bytes * (size_t)(wave * kernel->lanes + lane) : NULL;
}

static uint8_t* view(const Kernel* kernel, const char* name) {
  int number = 0;
  for (const Json* buffer = json_get(kernel->program, "buffers")->first; buffer; buffer = buffer->next, ++number)
    if (!strcmp(json_text(buffer, "name"), name)) return kernel->views[number];
  return NULL;
}

// An argument: a number, affine in the wave and the pass of the loop, or loaded at run time.
static int64_t argument(const Kernel* kernel, const Json* given, int wave, int pass) {
  const char* type = json_text(given, "type");
  if (!strcmp(type, "run-time"))
    return element_at(view(kernel, json_text(given, "buffer")) + json_number(given, "offset", 0), 0, 32);
  if (strcmp(type, "affine")) return given ? given->number : 0;
  const int64_t grid = json_number(given, "grid", 0), column = grid ? wave % grid : wave, row = grid ? wave / grid : 0;
  return json_number(given, "base", 0) + json_number(given, "wave", 0) * column + json_number(given, "row", 0) * row +
         json_number(given, "loop", 0) * pass;
}

static void fill(const Kernel* kernel, const Fragment* fragment, int wave, uint32_t bits) {
  uint8_t* vectors = fragment->vectors + fragment->bytes * (size_t)(wave * kernel->lanes);
  const int all = 8 * (int)fragment->bytes * kernel->lanes;
  for (int first = 0; first < all; first += fragment->element_bits)
    put_element(vectors, first, fragment->element_bits, bits);
}

static void execute(const Kernel* kernel, const Json* step, int wave, int pass) {
  const char* type = json_text(step, "type");
  if (!strcmp(type, "repeat")) {
    for (int i = 0; i < json_number(step, "count", 1); ++i)
      for (const Json* nested = json_get(step, "body")->first; nested; nested = nested->next)
        execute(kernel, nested, wave, i);
  } else if (!strcmp(type, "fill")) {
    fill(kernel, fragment_named(kernel, json_text(step, "into")), wave, (uint32_t)json_number(step, "bits", 0));
  } else if (!strcmp(type, "load") || !strcmp(type, "store")) {
    const char* name = *type == 'l' ? "into" : "fragment";
    // buffer[block * lanes + lane]: the vectors of a wave lie one after the other
    const size_t size = fragment_named(kernel, json_text(step, name))->bytes * (size_t)kernel->lanes;
    uint8_t* vectors = kernel_vector(kernel, step, name, wave, 0);
    uint8_t* memory = view(kernel, json_text(step, "buffer"));
    memory += (size_t)argument(kernel, json_get(step, "block"), wave, pass) * size;
    memcpy(*type == 'l' ? vectors : memory, *type == 'l' ? memory : vectors, size);
  } else {
    kernel->document->call(kernel, step, wave);
  }
}

static int count(const Json* list) {
  int found = 0;
  for (const Json* item = list ? list->first : NULL; item; item = item->next) ++found;
  return found;
}

const char* kernel_run(const Document* document, const Json* program, uint8_t** images, int broken) {
  Kernel kernel = {.document = document, .program = program, .broken = broken};
  kernel.lanes = (int)json_number(program, document->lanes, 0);
  kernel.waves = (int)json_number(program, "waves", 1);
  const Json *buffers = json_get(program, "buffers"), *declared = json_get(program, "fragments");
  kernel.views = calloc((size_t)count(buffers) + 1, sizeof *kernel.views);
  kernel.fragment = calloc((size_t)count(declared) + 1, sizeof *kernel.fragment);
  if (!kernel.views || !kernel.fragment) return "out of memory";
  int number = 0;
  for (const Json* buffer = buffers->first; buffer; buffer = buffer->next, ++number)
    kernel.views[number] = images[number] + json_number(buffer, "base", 64);
  for (const Json* one = declared->first; one; one = one->next) {
    Fragment* fragment = &kernel.fragment[kernel.fragments++];
    fragment->declared = one;
    fragment->bytes = document->vector_bytes(one);
    fragment->element_bits = document->element_bits(one);
    fragment->vectors = calloc((size_t)(kernel.waves * kernel.lanes), fragment->bytes);
    if (!fragment->vectors) return "out of memory";
    for (int wave = 0; wave < kernel.waves && json_get(one, "fill"); ++wave)
      fill(&kernel, fragment, wave, (uint32_t)json_number(one, "fill", 0));
  }
  for (int wave = 0; wave < kernel.waves; ++wave)  // no wave reads what another one writes
    for (const Json* step = json_get(program, "body")->first; step; step = step->next) execute(&kernel, step, wave, 0);
  for (int i = 0; i < kernel.fragments; ++i) free(kernel.fragment[i].vectors);
  free(kernel.fragment);
  free(kernel.views);
  return NULL;
}
