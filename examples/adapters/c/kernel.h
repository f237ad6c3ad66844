// A kernel on registers: every lane of a wave has a vector for each fragment, and loads and stores move whole vectors.
#ifndef KERNEL_H
#define KERNEL_H
#include "json.h"
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const Json* declared;
  size_t bytes;     // of one lane's vector
  int element_bits; // of the elements that are packed in it
  uint8_t* vectors; // [wave][lane][bytes]
} Fragment;

struct Kernel;

// What a document says: its fragments, and what its one function does for a wave.
typedef struct {
  const char* spec;
  const char* lanes;                             // the member of a program that gives the lanes of a wave
  size_t (*vector_bytes)(const Json* fragment);
  int (*element_bits)(const Json* fragment);
  void (*call)(const struct Kernel* kernel, const Json* step, int wave);
} Document;

typedef struct Kernel {
  const Document* document;
  const Json* program;
  int lanes, waves, fragments;
  Fragment* fragment;
  uint8_t** views;  // of the buffers, in their order
  int broken;       // whether the device makes its one mistake
} Kernel;

// Runs a program over one item: `images` has one pointer a buffer, to its allocation. Returns NULL, or what is wrong.
const char* kernel_run(const Document* document, const Json* program, uint8_t** images, int broken);

// The registers of one lane for the fragment that a step names; NULL where it is left out.
uint8_t* kernel_vector(const Kernel* kernel, const Json* step, const char* name, int wave, int lane);
const Json* kernel_fragment(const Kernel* kernel, const char* name);

// An element of a vector: `bits` wide, from bit `first` on, the lowest first.
uint32_t element_at(const uint8_t* vector, int first, int bits);
void put_element(uint8_t* vector, int first, int bits, uint32_t value);
#endif
