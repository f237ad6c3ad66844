// A buffer's view of one item of the batch: where its bytes lie in the item's image.
#pragma once
#include <stdexcept>

#include "json.hpp"

struct View {
    const Json* buffer;
    uint8_t* image;

    // So many bytes from an address on. Of a sparse buffer the image is its windows, one after the other.
    uint8_t* at(int64_t address, int64_t count) const {
        int64_t place = 0;
        if (!buffer->fields.count("windows")) return image + (*buffer)("base") + address;
        for (const Json& window : (*buffer)["windows"].list) {
            const int64_t start = std::stoll(window.list[0].text), size = std::stoll(window.list[1].text);
            if (address >= start && address - start + count <= size) return image + place + (address - start);
            place += size;
        }
        throw std::runtime_error("an access to what lies in no window");
    }
};
