// An adapter in C++17, a program of its own, for the protocol in docs/external.md. All it needs is a compiler and a
// little-endian machine:  c++ -std=c++17 -O2 -o adapter adapter.cpp
//   mmaspec check --backend "cmd:./adapter" --spec hlsl-wave-matrix          whole WaveMatrix programs: see run
//   mmaspec check --backend "cmd:./adapter --mma" --spec hlsl-wave-matrix    the arithmetic alone: see product
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif
using std::string;
using Bytes = std::vector<uint8_t>;
using Bits = std::vector<uint64_t>;
// What the device reports: bytes with K = 32 and float16 with K = 16 (precision 1: f16 sums, 2: f32 sums, 3: both).
const char* const FULL = R"("level": "full", "caps": {"hlsl-wave-matrix": {"wave_lanes": [32, 32], "support": [)"
    R"({"datatype":"byte","m":16,"n":64,"k":32},{"datatype":"float16","m":16,"n":16,"accum_precision":3}]}},"max_requests":64,)"
    R"("sparse":1099511627776)";
const char* const MMA = R"("level": "mma", "types": [["f16", "f16", "f16"], ["f16", "f16", "f32"], )"
    R"(["u8", "u8", "s32"], ["u8", "s8", "s32"], ["s8", "u8", "s32"], ["s8", "s8", "s32"]])";
// JSON, as much of it as mmaspec writes: integers (above 2^63-1: their 64 bits), no other numbers, text without escapes.
struct Json {
  int64_t number = 0;
  string text;
  std::vector<Json> items;
  std::map<string, Json> members;
  bool has(const string& name) const { return members.count(name) > 0; }
  int64_t number_or(const string& name, int64_t other) const { return has(name) ? members.at(name).number : other; }
  const Json& operator[](const string& name) const {
    static const Json zero;  // most of what is left out is 0 or empty
    return has(name) ? members.at(name) : zero;
  }
};

Json parse(const char*& at) {
  Json value;
  at += std::strspn(at, " ,:");
  if (*at == '{' || *at == '[') {
    const char close = *at++ == '{' ? '}' : ']';
    while (at += std::strspn(at, " ,"), *at != close) {
      if (close == ']') value.items.push_back(parse(at));
      else { const string name = parse(at).text; value.members[name] = parse(at); }
    }
    ++at;
  } else if (*at == '"') {
    value.text = string(at + 1, std::strcspn(at + 1, "\""));
    at += value.text.size() + 2;
  } else {
    char* end;
    value.number = *at == '-' ? std::strtoll(at, &end, 10) : int64_t(std::strtoull(at, &end, 10));
    if (end == at) std::exit(1);  // no JSON that mmaspec writes
    at = end;
  }
  return value;
}

// Formats: bits to values and back, rounded once, to nearest even.
int width(const string& format) { return format == "u8" || format == "s8" ? 1 : format == "f16" ? 2 : 4; }
bool is_float(const string& format) { return format[0] == 'f'; }
double value_of(const string& format, uint64_t bits) {
  if (format == "u8") return uint8_t(bits);
  if (format == "s8") return int8_t(bits);
  if (format == "s32") return int32_t(bits);
  if (format == "f32") { float x; std::memcpy(&x, &bits, 4); return x; }
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double size = std::ldexp(exponent ? fraction | 1024 : fraction, (exponent ? exponent : 1) - 25);
  if (exponent == 31) size = fraction ? NAN : HUGE_VAL;
  return bits & 0x8000 ? -size : size;
}
uint64_t bits_of(const string& format, double x) {  // integers wrap; a double holds every sum of them exactly
  if (!is_float(format)) return uint64_t(int64_t(x)) & (width(format) == 1 ? 0xFF : 0xFFFFFFFF);
  if (format == "f32") { const float y = float(x); uint64_t bits = 0; std::memcpy(&bits, &y, 4); return bits; }
  const uint64_t sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isnan(x)) return 0x7E00;
  if (std::fabs(x) >= 65520) return sign | 0x7C00;
  int exponent;
  std::frexp(x, &exponent);
  const int last = x == 0 ? -24 : std::max(exponent - 11, -24);  // exponent of the last place
  return sign | ((uint64_t(last + 24) << 10) + uint64_t(std::nearbyint(std::ldexp(std::fabs(x), -last))));
}
std::vector<double> values_of(const string& format, const uint64_t* bits, int count) {
  std::vector<double> found;
  for (int i = 0; i < count; ++i) found.push_back(value_of(format, bits[i]));
  return found;
}

// The arithmetic: D = A B + C, all row-major; D takes the place of C. Put your unit here.
void product(const string* types, const uint64_t* a, const uint64_t* b, uint64_t* c, int m, int n, int k) {
  const auto left = values_of(types[0], a, m * k), right = values_of(types[1], b, k * n);
  auto sums = values_of(types[2], c, m * n);
  for (int row = 0; row < m; ++row)
    for (int i = 0; i < k; ++i)
      for (int col = 0; col < n; ++col) sums[row * n + col] += left[row * k + i] * right[i * n + col];
  for (int i = 0; i < m * n; ++i) c[i] = bits_of(types[2], sums[i]);
}
double cast(const string& from, const string& to, double x) {
  if (!is_float(from) || is_float(to)) return value_of(to, bits_of(to, x));
  return std::isnan(x) ? 0 : std::trunc(std::min(std::max(x, -2147483648.0), 2147483647.0));
}
double operate(const string& name, bool whole, double x, double y) {
  if (name == "scalar-add") return x + y;
  if (name == "scalar-subtract") return x - y;
  if (name == "scalar-multiply") return whole ? double(int32_t(int64_t(x) * int64_t(y))) : x * y;
  return !whole ? x / y : y == 0 ? 0 : std::trunc(x / y);
}
struct Window { int64_t start, size; uint8_t* bytes; };
using View = std::vector<Window>;  // one window that is all of it, or several of a sparse buffer
struct Matrix { string element; int rows, cols; bool vector; std::vector<Bits> waves; };

// A WaveMatrix program that runs over one item of the batch. Put your device here.
struct Machine {
  std::map<string, View> memory;  // of buffers and groupshared arrays
  std::map<string, Bytes> arrays;
  std::map<string, int> unit;  // bytes of one array element
  std::map<string, Matrix> matrices;
  const int64_t waves;
  explicit Machine(const Json& program) : waves(program.number_or("waves", 1)) {
    for (const Json& array : program["arrays"].items) {
      const string name = array["name"].text;
      unit[name] = array["element"].text[1] == '8' ? 4 : width(array["element"].text);  // bytes are packed in dwords
      arrays[name].resize(size_t(array["length"].number * unit[name]));
      memory[name] = {{0, int64_t(arrays[name].size()), arrays[name].data()}};
    }
    for (const Json& declared : program["matrices"].items) {
      const string kind = declared["kind"].text;
      const int rows = kind == "right-row-acc" ? 1 : int(declared[kind == "right" ? "k" : "m"].number);
      const int cols = kind == "left-col-acc" ? 1 : int(declared[kind == "left" ? "k" : "n"].number);
      const std::vector<Bits> states(size_t(waves), Bits(size_t(rows * cols)));
      matrices[declared["name"].text] = {declared["element"].text, rows, cols, rows == 1 || cols == 1, states};
    }
  }
  uint8_t* at(const string& name, int64_t offset, int64_t size) {
    for (const Window& window : memory.at(name))
      if (offset >= window.start && offset - window.start + size <= window.size)
        return window.bytes + (offset - window.start);
    throw std::runtime_error("an access outside of " + name);
  }
  uint64_t read(const Json& from, int size) {
    uint64_t bits = 0;
    std::memcpy(&bits, at(from["buffer"].text, from["offset"].number, size), size_t(size));
    return bits;
  }
  // An argument: a number, affine in the wave and the pass of the loop, or loaded at run time.
  int64_t argument(const Json& index, int wave, int pass) {
    if (index["type"].text == "run-time") return int64_t(read(index, 4));
    if (index["type"].text != "affine") return index.number;
    const int64_t grid = index["grid"].number, x = grid ? wave % grid : wave, y = grid ? wave / grid : 0;
    return index["base"].number + index["wave"].number * x + index["row"].number * y + index["loop"].number * pass;
  }
  uint64_t scalar(const Json& value, int size) {
    return value.has("bits") ? uint64_t(value["bits"].number) : read(value, size);
  }
  void move(const Json& access, Matrix& matrix, int wave, int pass, bool store) {
    const string& name = access["buffer"].text;
    const int64_t scale = unit.count(name) ? unit[name] : 1, size = width(matrix.element);
    const int64_t start = scale * argument(access["offset"], wave, pass);
    int64_t stride = scale * argument(access["stride"], wave, pass);
    const bool turned = argument(access["col_major"], wave, pass) % 2 == 1;
#ifdef BROKEN  // as if rows followed without a gap
    if (!matrix.vector) stride = size * (turned ? matrix.rows : matrix.cols);
#endif
    for (int row = 0; row < matrix.rows; ++row)
      for (int col = 0; col < matrix.cols; ++col) {
        const int64_t line = turned ? col : row, within = turned ? row : col;
        const int64_t place = start + (matrix.vector ? (row + col) * stride : line * stride + within * size);
        void *element = at(name, place, size), *bits = &matrix.waves[wave][row * matrix.cols + col];
        std::memcpy(store ? element : bits, store ? bits : element, size_t(size));
      }
  }
  void copy(const Json& copied, int pass, bool stage) {
    const string &array = copied["array"].text, &buffer = copied["buffer"].text;
    const int64_t run = unit.at(array) * copied["columns"].number;
    for (int64_t row = 0; row < copied.number_or("rows", 1); ++row) {
      uint8_t* here = at(buffer, argument(copied["start"], 0, pass) + row * copied["pitch"].number, run);
      uint8_t* there = at(array, unit[array] * argument(copied["offset"], 0, pass) + row * run, run);
      std::memcpy(stage ? there : here, stage ? here : there, size_t(run));
    }
  }
  void execute(const Json& step, int pass) {  // waves go through every instruction together
    const string type = step["type"].text;
    for (int i = 0; step.has("body") && i < step.number_or("count", 1); ++i)  // a loop, or a branch that is taken
      for (const Json& nested : step["body"].items) execute(nested, i);
    if (type == "stage" || type == "unstage") copy(step, pass, type == "stage");
    for (int wave = 0; step.has("matrix") && wave < waves; ++wave)
      method(type, step, matrices.at(step["matrix"].text), wave, pass);
  }
  void method(const string& type, const Json& step, Matrix& matrix, int wave, int pass) {
    Bits& bits = matrix.waves[wave];
    const string& element = matrix.element;
    const int cols = matrix.cols, size = width(element);
    if (type == "load" || type == "store") {
      move(step, matrix, wave, pass, type == "store");
    } else if (type == "fill") {
      const uint64_t value = scalar(step["value"], size == 1 ? 4 : size);
      for (size_t i = 0; i < bits.size(); ++i) bits[i] = size == 1 ? value >> 8 * (i % cols % 4) & 0xFF : value;
    } else if (type == "multiply" || type == "multiply-accumulate") {
      const Matrix &left = matrices.at(step["left"].text), &right = matrices.at(step["right"].text);
      const string types[] = {left.element, right.element, element};
      if (type == "multiply") bits.assign(bits.size(), 0);
      product(types, left.waves[wave].data(), right.waves[wave].data(), bits.data(), matrix.rows, cols, left.cols);
    } else if (type == "sum-accumulate" || type == "add") {
      const Matrix& other = matrices.at(step["operand"].text);
      auto sums = values_of(element, bits.data(), int(bits.size()));
      for (int row = 0; row < std::max(other.rows, matrix.rows); ++row)
        for (int col = 0; col < std::max(other.cols, cols); ++col) {  // a vector is repeated, on either side
          const double x = value_of(other.element, other.waves[wave][row % other.rows * other.cols + col % other.cols]);
          sums[row % matrix.rows * cols + col % cols] += type == "add" ? cast(other.element, element, x) : x;
        }
      for (size_t i = 0; i < bits.size(); ++i) bits[i] = bits_of(element, sums[i]);
    } else if (type == "matrix-depth") {
      const uint32_t depth = size == 1 ? 32 : 16;
      std::memcpy(at(step["buffer"].text, argument(step["offset"], wave, pass), 4), &depth, 4);
    } else {
      const double y = value_of(element, scalar(step["value"], size));
      for (uint64_t& x : bits) x = bits_of(element, operate(type, !is_float(element), value_of(element, x), y));
    }
  }
};

// The two requests; the body of the request becomes that of the reply.
void run(const Json& head, Bytes& body) {
  const Json& program = head["program"];
  for (int64_t item = 0, batch = head["batch"].number; item < batch; ++item) {
    Machine machine(program);
    uint8_t* images = body.data();
    for (size_t i = 0; i < program["buffers"].items.size(); ++i) {
      const Json& buffer = program["buffers"].items[i];
      const int64_t total = head["buffers"].items[i]["bytes"].number, base = buffer.number_or("base", 64);
      uint8_t* image = images + item * total;
      View& view = machine.memory[buffer["name"].text];
      if (!buffer.has("windows")) view = {{0, buffer["size"].number, image + base}};
      for (const Json& window : buffer["windows"].items) {  // start and length; their bytes follow each other
        view.push_back({window.items[0].number, window.items[1].number, image});
        image += view.back().size;
      }
      images += batch * total;
    }
    for (const Json& step : program["body"].items) machine.execute(step, 0);
  }
}
void multiply(const Json& head, Bytes& body) {
  const int m = int(head["m"].number), n = int(head["n"].number), k = int(head["k"].number);
  const int64_t batch = head["batch"].number, sizes[] = {m * k, k * n, m * n};
  string types[3];
  Bits operands[3];
  size_t place = 0, size = 0;
  for (int i = 0; i < 3; ++i) {
    types[i] = head["types"].items[i].text;
    operands[i].resize(size_t(batch * sizes[i]));
    size = size_t(width(types[i]));
    for (uint64_t& bits : operands[i]) std::memcpy(&bits, &body.at(place), size), place += size;
  }
  uint64_t *a = operands[0].data(), *b = operands[1].data(), *c = operands[2].data();
  for (int64_t i = 0; i < batch; ++i, a += sizes[0], b += sizes[1], c += sizes[2]) product(types, a, b, c, m, n, k);
  body.resize(operands[2].size() * size);
  for (size_t i = 0; i < operands[2].size(); ++i) std::memcpy(&body[i * size], &operands[2][i], size);
}

// The reply to a request; the body stays in place.
string answer(const string& line, Bytes& body, const string& level, FILE* requests) {
  const char* at = line.c_str();
  const Json head = parse(at);
  const string type = head["type"].text, id = "{\"id\":" + std::to_string(head["id"].number) + ",\"type\":";
  if (type == "hello") return R"({"type":"hello","protocol":2,"name":"example-cpp","version":"1",)" + level + "}";
  body.resize(size_t(head["body"].number));
  if (std::fread(body.data(), 1, body.size(), requests) != body.size()) std::exit(1);
  try {
    type == "mma" ? multiply(head, body) : run(head, body);
  } catch (const std::exception& error) {
    body.clear();
    return id + "\"error\",\"text\":\"" + error.what() + "\"}";
  }
  if (type == "mma") return id + "\"product\",\"body\":" + std::to_string(body.size()) + "}";
  return id + "\"ran\"," + line.substr(line.rfind("\"buffers\":"));  // the buffers go back as they came
}

// Our own descriptors, which the environment names (on Windows: handles), or the standard streams.
FILE* connect(const char* name, int standard, const char* mode) {
  const char* number = std::getenv(name);
#ifdef _WIN32
  const int descriptor = number ? _open_osfhandle(std::atoll(number), _O_BINARY) : standard;
  _setmode(descriptor, _O_BINARY);
  return _fdopen(descriptor, mode);
#else
  return fdopen(number ? std::atoi(number) : standard, mode);
#endif
}
int main(int count, char** words) {  // the last two words are files, if there are so many
  FILE* requests = count > 2 ? std::fopen(words[count - 2], "rb") : connect("MMASPEC_IN", 0, "rb");
  FILE* replies = count > 2 ? std::fopen(words[count - 1], "wb") : connect("MMASPEC_OUT", 1, "wb");
  if (!requests || !replies) return 2;
  string line;
  for (int byte; (byte = std::getc(requests)) != EOF;) {
    if (byte != '\n') { line.push_back(char(byte)); continue; }
    Bytes body;
    const string reply = answer(line, body, count > 1 && string(words[1]) == "--mma" ? MMA : FULL, requests) + "\n";
    std::fwrite(reply.data(), 1, reply.size(), replies);
    std::fwrite(body.data(), 1, body.size(), replies);
    std::fflush(replies);
    line.clear();
  }
}
