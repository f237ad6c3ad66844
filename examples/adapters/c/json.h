// JSON, as much of it as mmaspec writes: objects, lists, integers, words, and text whose escapes are left as they are.
#ifndef JSON_H
#define JSON_H
#include <stdint.h>

typedef struct Json {
  const char* key;    // in an object: the name of the member
  const char* text;   // of a text, without its quotes
  int64_t number;     // of a number; 1 for true; above 2^63-1 its 64 bits: cast to uint64_t
  struct Json* first; // of the members or items
  struct Json* next;  // beside this one
} Json;

// Reads one value; it and its texts live in `line`, which is changed, and in memory that json_free returns.
Json* json_read(char* line);
void json_free(Json* value);

// A member, or NULL; its number or text, or what stands for it where it was left out.
const Json* json_get(const Json* object, const char* key);
int64_t json_number(const Json* object, const char* key, int64_t otherwise);
const char* json_text(const Json* object, const char* key);
#endif
