// Just enough JSON for vector folders, and reading files. Texts are ASCII there, but for a program's source.
#pragma once
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

using Bytes = std::vector<uint8_t>;

struct Json {  // an object, a list, or a word: numbers, true, false and null are kept as they are written
    std::map<std::string, Json> fields;
    std::vector<Json> list;
    std::string text;
    const Json& operator[](const char* name) const { return fields.at(name); }
    long long operator()(const char* name) const { return std::stoll(fields.at(name).text); }
    bool is(const char* name, const char* word) const { return fields.count(name) && fields.at(name).text == word; }
};

inline char next(const char*& at) { return at += std::strspn(at, " \n\r\t,:"), *at; }  // commas say nothing new

inline Json parse(const char*& at) {
    Json found;
    const char first = next(at);
    if (first == '{' || first == '[') {
        for (++at; next(at) != '}' && *at != ']';) {
            if (first == '[') {
                found.list.push_back(parse(at));
            } else {
                const std::string name = parse(at).text;
                found.fields[name] = parse(at);
            }
        }
        ++at;
    } else if (first == '"') {
        for (++at; *at && *at != '"'; ++at) {
            if (*at == '\\') ++at;  // no name here has an escape that means more
            found.text += *at;
        }
        if (!*at) throw std::runtime_error("JSON that ends too early");
        ++at;
    } else {
        const size_t length = std::strcspn(at, " \n\r\t,:]}");
        if (!length) throw std::runtime_error("JSON that ends too early");
        found.text.assign(at, length);
        at += length;
    }
    return found;
}

inline Bytes bytes_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path.string() + ": cannot be read");
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

inline Json json_of(const std::filesystem::path& path) {
    Bytes data = bytes_of(path);
    data.push_back(0);
    const char* start = reinterpret_cast<const char*>(data.data());
    return parse(start);
}

inline uint64_t number(const uint8_t* at, int width) {  // little-endian
    uint64_t found = 0;
    for (int byte = 0; byte < width; ++byte) found |= uint64_t(at[byte]) << 8 * byte;
    return found;
}
