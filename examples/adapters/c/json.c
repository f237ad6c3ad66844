#include "json.h"
#include <stdlib.h>
#include <string.h>

static Json* value(char** at);

static char* text(char** at) {  // stands on the opening quote; ends the text where the closing one was
  char* start = ++*at;
  while (**at && **at != '"') *at += **at == '\\' && (*at)[1] ? 2 : 1;
  if (**at) *(*at)++ = 0;
  return start;
}

static void skip(char** at, const char* what) { *at += strspn(*at, what); }

static Json* items(char** at, char close) {
  Json *first = NULL, **end = &first;
  for (++*at; skip(at, " ,"), **at && **at != close;) {
    char* key = NULL;
    if (close == '}') {
      key = text(at);
      skip(at, " :");
    }
    *end = value(at);
    (*end)->key = key;
    end = &(*end)->next;
  }
  if (**at) ++*at;
  return first;
}

static Json* value(char** at) {
  Json* found = calloc(1, sizeof *found);
  if (!found) exit(3);
  if (**at == '{' || **at == '[') {
    found->first = items(at, **at == '{' ? '}' : ']');
  } else if (**at == '"') {
    found->text = text(at);
  } else if (**at == 't' || **at == 'f' || **at == 'n') {
    found->number = **at == 't';
    skip(at, "truefalsn");
  } else {
    char* end;
    found->number = **at == '-' ? strtoll(*at, &end, 10) : (int64_t)strtoull(*at, &end, 10);
    if (end == *at) exit(2);  // nothing that mmaspec writes
    *at = end;
  }
  return found;
}

Json* json_read(char* line) {
  char* at = line;
  return value(&at);
}

void json_free(Json* found) {
  while (found) {
    Json* next = found->next;
    json_free(found->first);
    free(found);
    found = next;
  }
}

const Json* json_get(const Json* object, const char* key) {
  for (const Json* member = object ? object->first : NULL; member; member = member->next)
    if (member->key && !strcmp(member->key, key)) return member;
  return NULL;
}

int64_t json_number(const Json* object, const char* key, int64_t otherwise) {
  const Json* member = json_get(object, key);
  return member ? member->number : otherwise;
}

const char* json_text(const Json* object, const char* key) {
  const Json* member = json_get(object, key);
  return member && member->text ? member->text : "";
}
