// A device for the example: RDNA3 matrix builtins, one item of the batch, memory changed in place.
#pragma once
#include <algorithm>
#include <cmath>

#include "view.hpp"

using Words = std::vector<uint32_t>;

inline double half(uint32_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = std::ldexp(exponent ? 1024 + fraction : fraction, std::max(exponent, 1) - 25);
    if (exponent == 31) size = fraction ? NAN : INFINITY;
    return bits >> 15 ? -size : size;
}

class Device {
  public:
    Device(const Json& program, std::map<std::string, View> memory, bool broken)
        : program(program), memory(std::move(memory)), broken(broken) {}

    void run() {
        for (const Json& kind : program["fragments"].list) {
            fragments[kind["name"].text] = &kind;
            fill(kind["name"].text, kind.is("fill", "null") ? 0x7a5a : uint32_t(kind("fill")));
        }
        for (const Json& step : program["body"].list) {
            if (!step.is("type", "repeat")) one(step, 0);
            else
                for (long loop = 0; loop < step("count"); ++loop)
                    for (const Json& inner : step["body"].list) one(inner, loop);
        }
    }

  private:
    const Json& program;
    std::map<std::string, View> memory;
    bool broken;
    std::map<std::string, const Json*> fragments;
    std::map<std::string, std::vector<Words>> file;  // the registers of a fragment by wave: lane after lane, its VGPRs
    long lanes = program("wave_size"), waves = program("waves");

    void one(const Json& step, long loop) {
        if (step.is("type", "fill")) fill(step["into"].text, uint32_t(step("bits")));
        if (step.is("type", "load")) move(step, step["into"].text, true, loop);
        if (step.is("type", "store")) move(step, step["fragment"].text, false, loop);
        if (step.is("type", "wmma")) wmma(step);
    }

    long vgprs(const std::string& name) {
        const Json& kind = *fragments[name];
        return kind("count") * (kind.is("element", "half") || kind.is("element", "short") ? 2 : 4) / 4;
    }

    void fill(const std::string& name, uint32_t bits) {
        const Json& kind = *fragments[name];
        uint32_t word = bits;
        if (kind.is("element", "half") || kind.is("element", "short")) word = bits << 16 | bits;
        else if (kind.is("element", "int") && !kind.is("use", "cd")) word = bits * 0x01010101u;
        file[name].assign(waves, Words(lanes * vgprs(name), word));
    }

    long block(const Json& index, long wave, long loop) {
        if (index.is("type", "affine")) {  // waves may stand in lines of so many; 0: all in one
            const long grid = index("grid"), line = grid ? wave / grid : 0, place = wave - line * grid;
            return index("base") + index("wave") * place + index("row") * line + index("loop") * loop;
        }
        if (!index.is("type", "run-time")) return std::stol(index.text);
        return number(memory.at(index["buffer"].text).at(index("offset"), 4), 4);
    }

    void move(const Json& step, const std::string& name, bool load, long loop) {
        for (long wave = 0; wave < waves; ++wave) {
            Words& words = file[name][wave];
            const int64_t size = words.size() * 4, start = block(step["block"], wave, loop) * size;
            uint8_t* at = memory.at(step["buffer"].text).at(start, size);
            load ? std::memcpy(words.data(), at, size) : std::memcpy(at, words.data(), size);
        }
    }

    // Sixteen packed elements of A, as many of B, and an element of C.
    uint32_t sum_of_halves(const uint32_t* a, const uint32_t* b, uint32_t c) {
        float result;
        std::memcpy(&result, &c, 4);
        double sum = result;
        for (int k = 0; k < 16; ++k) sum += half(a[k / 2] >> k % 2 * 16 & 65535) * half(b[k / 2] >> k % 2 * 16 & 65535);
        result = float(sum);
        std::memcpy(&c, &result, 4);
        return c;
    }

    uint32_t sum_of_bytes(const Json& step, const uint32_t* a, const uint32_t* b, uint32_t c) {
        const bool a_sign = broken || step.is("a_sign", "true"), b_sign = broken || step.is("b_sign", "true");
        int64_t sum = int32_t(c);
        for (int k = 0; k < 16; ++k) {
            const uint8_t left = uint8_t(a[k / 4] >> k % 4 * 8), right = uint8_t(b[k / 4] >> k % 4 * 8);
            sum += (a_sign ? int8_t(left) : left) * (b_sign ? int8_t(right) : right);
        }
        return uint32_t(step.is("clamp", "true") ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum);
    }

    void wmma(const Json& step) {  // sixteen lanes hold a copy of A and B, and every so-manieth row of C and D
        const std::string a = step["a"].text, b = step["b"].text, c = step["c"].text, d = step["d"].text;
        const long groups = lanes / 16, in = vgprs(a), out = vgprs(d);
        std::vector<Words> found(waves, Words(lanes * out));
        for (long wave = 0; wave < waves; ++wave)
            for (long lane = 0; lane < lanes; ++lane)
                for (long v = 0; v < out; ++v) {
                    const long group = lane / 16, row = group * 16 + v * groups + group, at = lane * out + v;
                    const uint32_t *left = &file[a][wave][row * in], *right = &file[b][wave][lane * in];
                    const uint32_t addend = step.is("c", "null") ? 0 : file[c][wave][at];
                    found[wave][at] = step["builtin"].text[0] == 'f' ? sum_of_halves(left, right, addend)
                                                                     : sum_of_bytes(step, left, right, addend);
                }
        file[d] = found;
    }
};
