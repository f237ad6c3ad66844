// Answers a vector folder on a machine without Python: consumer VECTORS RESULTS [--broken]
//
// Build: c++ -std=c++17 -O2 -o consumer consumer.cpp. The device is in rdna3.hpp; put your own in its place. What it
// leaves is held to the legal sets here already (exit code 1: something is illegal); mmaspec vectors verify VECTORS
// RESULTS judges it clause by clause. For little-endian machines. --broken makes the device a wrong one.
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "rdna3.hpp"

using Places = std::vector<Bytes>;  // one entry a buffer

struct File {  // a case's arrays
    Bytes data;
    const uint8_t* at(const Json& array) const { return data.data() + array("offset"); }
    static size_t count(const Json& array) {
        size_t product = 1;
        for (const Json& extent : array["shape"].list) product *= std::stoul(extent.text);
        return product;
    }
};

int64_t ordinal(uint64_t bits, const Json& format) {  // in the order of the numbers, -0 and +0 alike
    const uint64_t sign = uint64_t(1) << (format("bits") - 1);
    if (format.is("kind", "float")) return bits & sign ? -int64_t(bits & (sign - 1)) : int64_t(bits);
    return format.is("signed", "true") ? int64_t((bits ^ sign) - sign) : int64_t(bits);  // u64 would need a shift
}

bool is_nan(uint64_t bits, const Json& format) {
    if (format.is("nans", "none")) return false;
    const uint64_t magnitude = bits & ((uint64_t(1) << (format("bits") - 1)) - 1);
    const uint64_t top = ((uint64_t(1) << format("exponent_bits")) - 1) << format("fraction_bits");
    const uint64_t ones = top | ((uint64_t(1) << format("fraction_bits")) - 1);
    return format.is("nans", "ieee") ? magnitude > top : magnitude == ones;
}

bool legal(uint64_t got, uint64_t low, uint64_t high, int flags, const Json& format) {
    if (flags & 8) return true;  // not judged
    if (is_nan(got, format)) return flags & 2;
    if (flags & 4) return got == low;  // moved: these very bits
    const int64_t value = ordinal(got, format);
    return flags & 1 && ordinal(low, format) <= value && value <= ordinal(high, format);
}

// How many elements are illegal and bytes touched after one run, under one choice of readings.
size_t wrong(const Json& one, const File& file, const Json& run, const Json& choice, Places& after,
             const Json& formats) {
    const size_t batch = one("batch");
    const bool reversed = run.is("order", "reversed");
    size_t found = 0;
    for (size_t b = 0; b < after.size(); ++b) {
        const uint8_t *before = file.at(run["inputs"].list[b]), *written = file.at(choice["written"].list[b]);
        const size_t total = after[b].size() / batch;
        for (size_t i = 0; i < after[b].size(); ++i) found += !written[i % total] && before[i] != after[b][i];
    }
    for (const Json& store : choice["stores"].list) {
        size_t b = 0;
        while (one["buffers"].list[b]["name"].text != store["buffer"].text) ++b;
        const Json &buffer = one["buffers"].list[b], &format = formats[store["format"].text.c_str()];
        const int width = std::max<int>(1, int(format("bits")) / 8);
        const size_t elements = File::count(store["addresses"]);
        const uint8_t *low = file.at(store["low"]), *high = file.at(store["high"]), *flags = file.at(store["flags"]);
        for (size_t i = 0; i < batch * elements; ++i) {
            const int64_t address = number(file.at(store["addresses"]) + i % elements * 8, 8);
            if (address < 0) continue;  // not stored, or overwritten since
            const size_t item = i / elements, place = reversed ? batch - 1 - item : item;
            const uint8_t* got = View{&buffer, after[b].data() + place * buffer("total")}.at(address, width);
            found += !legal(number(got, width), number(low + i * width, width), number(high + i * width, width),
                            flags[i], format);
        }
    }
    return found;
}

// Every run of a case: all its buffers in order, item after item.
std::vector<Places> answers(const Json& one, const File& file, bool broken) {
    std::vector<Places> found;
    for (const Json& run : one["runs"].list) {
        Places after;
        for (const Json& input : run["inputs"].list)
            after.emplace_back(file.at(input), file.at(input) + File::count(input));
        for (long item = 0; item < one("batch"); ++item) {
            std::map<std::string, View> memory;
            for (size_t b = 0; b < after.size(); ++b) {
                const Json& buffer = one["buffers"].list[b];
                memory[buffer["name"].text] = {&buffer, after[b].data() + item * buffer("total")};
            }
            Device(one["program"], memory, broken).run();
        }
        found.push_back(after);
    }
    return found;
}

int main(int words, char** word) try {
    if (words < 3) throw std::runtime_error("expected: consumer VECTORS RESULTS [--broken]");
    const std::filesystem::path vectors = word[1], results = word[2];
    const bool broken = words > 3 && std::string(word[3]) == "--broken";
    const Json manifest = json_of(vectors / "vectors.json");
    std::filesystem::create_directories(results);
    std::ofstream(results / "results.json")
        << R"({"schema": "mmaspec.results/1", "vectors": ")" << manifest["digest"].text
        << R"(", "backend": {"name": "consumer", "version": "1", "roles": ["executes"]}})";
    size_t illegal = 0, cases = 0;
    for (const Json& entry : manifest["cases"].list) {
        if (!entry.is("demand", "results")) continue;  // this device executes; it refuses nothing
        const std::string id = entry["id"].text;
        const Json one = json_of(vectors / "cases" / (id + ".json"));
        const File file{bytes_of(vectors / "cases" / (id + ".bin"))};
        std::vector<Places> found = answers(one, file, broken);
        std::ofstream out(results / (id + ".bin"), std::ios::binary);
        for (const Places& after : found)
            for (const Bytes& buffer : after) out.write(reinterpret_cast<const char*>(buffer.data()), buffer.size());
        size_t least = SIZE_MAX;  // one choice of readings has to explain every run
        for (const Json& choice : one["legal"].list) {
            size_t total = 0;
            for (size_t run = 0; run < found.size(); ++run)
                total += wrong(one, file, one["runs"].list[run], choice, found[run], manifest["formats"]);
            least = std::min(least, total);
        }
        if (least) std::cout << id << " " << entry["row"].text << ": " << least << " illegal\n";
        illegal += least > 0, ++cases;
    }
    std::cout << cases - illegal << " of " << cases << " cases legal\n";
    return illegal ? 1 : 0;
} catch (const std::exception& error) {
    std::cerr << "consumer: " << error.what() << "\n";
    return 2;
}
