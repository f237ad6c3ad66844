// An adapter in C11, a program of its own, for the protocol in docs/external.md of mmaspec: two devices of kernels on
// registers. All it needs is a compiler and a little-endian machine.
//   cc -std=c11 -O2 -o adapter *.c -lm
//   mmaspec check --backend "cmd:./adapter" --spec amd-rdna3-wmma --spec intel-subgroup-mma
//   mmaspec check --backend "cmd:./adapter 16" --spec intel-subgroup-mma       a device with sub-groups of 16
//   mmaspec check --backend "cmd:./adapter --broken" --spec ...                the same with one mistake each
#include "kernel.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#else
FILE* fdopen(int, const char*);  // of POSIX, not of C
#endif

extern const Document AMD_RDNA3_WMMA, INTEL_SUBGROUP_MMA;

// What the devices report.
#define BOTH(name) "\"" name "_w32\",\"" name "_w64\""
static const char RDNA3[] =
    "\"amd-rdna3-wmma\":{\"builtins\":["
    BOTH("f32_16x16x16_f16") "," BOTH("f32_16x16x16_bf16") ","
    BOTH("f16_16x16x16_f16") "," BOTH("f16_16x16x16_f16_tied") ","
    BOTH("bf16_16x16x16_bf16") "," BOTH("bf16_16x16x16_bf16_tied") ","
    BOTH("i32_16x16x16_iu8") "," BOTH("i32_16x16x16_iu4") "]}";
#define WIDE \
  "\"i8_i8_i32\",\"i8_u8_i32\",\"u8_i8_i32\",\"u8_u8_i32\",\"i4_i4_i32\",\"i4_u4_i32\",\"u4_i4_i32\",\"u4_u4_i32\"," \
  "\"bf16_bf16_f32\",\"f16_f16_f32\""
static const char INTEL_8[] = "\"intel-subgroup-mma\":{\"sub_group_size\":8,\"forms\":[" WIDE "]}";
static const char INTEL_16[] =
    "\"intel-subgroup-mma\":{\"sub_group_size\":16,\"forms\":[" WIDE ",\"bf16_bf16_bf16\",\"f16_f16_f16\"]}";

static int sub_groups_of_16, broken;

// Our own descriptors, which the environment names (on Windows: handles), or the standard streams.
static FILE* connect(const char* name, int standard, const char* mode) {
  const char* number = getenv(name);
#ifdef _WIN32
  const int descriptor = number ? _open_osfhandle(atoll(number), _O_BINARY) : standard;
  _setmode(descriptor, _O_BINARY);
  return _fdopen(descriptor, mode);
#else
  return fdopen(number ? atoi(number) : standard, mode);
#endif
}

// A line without its end, for the caller to free; NULL where there are no more requests.
static char* read_line(FILE* requests) {
  size_t size = 0, room = 4096;
  char* line = malloc(room);
  for (int byte; line && (byte = getc(requests)) != EOF;) {
    if (byte == '\n') {
      line[size] = 0;
      return line;
    }
    line[size++] = (char)byte;
    if (size == room) line = realloc(line, room *= 2);
  }
  free(line);
  return NULL;
}

// The body has the buffers one after the other, and in each of them the items of the batch.
static const char* run(const Json* head, uint8_t* body) {
  const Json *program = json_get(head, "program"), *extents = json_get(head, "buffers");
  const Document* documents[] = {&AMD_RDNA3_WMMA, &INTEL_SUBGROUP_MMA};
  const int64_t batch = json_number(head, "batch", 1);
  const Document* document = documents[!strcmp(json_text(head, "spec"), INTEL_SUBGROUP_MMA.spec)];
  const char* wrong = NULL;
  int buffers = 0;
  for (const Json* extent = extents->first; extent; extent = extent->next) ++buffers;
  uint8_t** images = calloc((size_t)buffers + 1, sizeof *images);
  if (!images) return "out of memory";
  for (int64_t item = 0; item < batch && !wrong; ++item) {
    uint8_t* start = body;
    int number = 0;
    for (const Json* extent = extents->first; extent; extent = extent->next, ++number) {
      const int64_t bytes = json_number(extent, "bytes", 0);
      images[number] = start + item * bytes;
      start += batch * bytes;
    }
    wrong = kernel_run(document, program, images, broken);
  }
  free(images);
  return wrong;
}

static int answer(char* line, FILE* requests, FILE* replies) {
  const char* extents = NULL;  // behind the program, which has buffers too
  for (const char* next = line; (next = strstr(next, "\"buffers\":[")); ++next) extents = next;
  char* tail = extents ? malloc(strlen(extents) + 1) : NULL;
  if (tail) strcpy(tail, extents);
  Json* head = json_read(line);
  if (!strcmp(json_text(head, "type"), "hello")) {
    fprintf(replies, "{\"type\":\"hello\",\"protocol\":2,\"name\":\"example-c\",\"version\":\"1\",\"caps\":{%s,%s}}\n",
            RDNA3, sub_groups_of_16 ? INTEL_16 : INTEL_8);
  } else {
    const size_t size = (size_t)json_number(head, "body", 0);
    const long long id = json_number(head, "id", 0);
    uint8_t* body = malloc(size + 1);
    if (!body || fread(body, 1, size, requests) != size) return 0;
    const char* wrong = run(head, body);
    if (wrong) {
      fprintf(replies, "{\"type\":\"error\",\"id\":%lld,\"text\":\"%s\"}\n", id, wrong);
    } else {  // the buffers go back as they came
      fprintf(replies, "{\"type\":\"ran\",\"id\":%lld,%s\n", id, tail ? tail : "");
      fwrite(body, 1, size, replies);
    }
    free(body);
  }
  json_free(head);
  free(tail);
  return !fflush(replies);
}

int main(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    if (!strcmp(words[i], "16")) sub_groups_of_16 = 1;
    if (!strcmp(words[i], "--broken")) broken = 1;
  }
  FILE *requests = connect("MMASPEC_IN", 0, "rb"), *replies = connect("MMASPEC_OUT", 1, "wb");
  if (!requests || !replies) return 2;
  for (char* line; (line = read_line(requests));) {
    const int answered = answer(line, requests, replies);
    free(line);
    if (!answered) return 1;
  }
  return 0;
}
