// Hashes a structure field by field, from C++. No buffer has to hold it as bytes first.

#include <keylane.h>

#include <array>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

void check(keylane_status status) {
    if (status != KEYLANE_OK) throw std::runtime_error(keylane_strerror(status));
}

/// A prepared key for SipHash-1-3, wiped at the end of its life.
class Key {
public:
    explicit Key(const std::array<uint8_t, 16> &bytes) { check(keylane_siphash_init(&key, 1, 3, 64, bytes.data())); }
    ~Key() { keylane_siphash_wipe(&key); }
    Key(const Key &) = delete;
    Key &operator=(const Key &) = delete;

    const keylane_siphash *get() const { return &key; }

private:
    keylane_siphash key;
};

/// A message in pieces.
class Stream {
public:
    explicit Stream(const Key &key) { check(keylane_siphash_stream_init(&stream, key.get())); }
    ~Stream() { keylane_siphash_stream_wipe(&stream); }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;

    /// A text after its length, so different sequences of texts give different bytes.
    Stream &operator<<(const std::string &text) {
        std::array<uint8_t, 8> length;
        for (size_t i = 0; i < length.size(); i++) length[i] = static_cast<uint8_t>(uint64_t{text.size()} >> 8 * i);
        check(keylane_siphash_stream_update(&stream, length.data(), length.size()));
        check(keylane_siphash_stream_update(&stream, text.data(), text.size()));
        return *this;
    }

    uint64_t finish() const {
        uint64_t tag;
        check(keylane_siphash_stream_finish64(&stream, &tag));
        return tag;
    }

private:
    keylane_siphash_stream stream;
};

} // namespace

int main() {
    const std::array<uint8_t, 16> bytes = {{1, 2, 3}};
    const Key key(bytes);
    const uint64_t one = (Stream(key) << "ab" << "c").finish();
    const uint64_t other = (Stream(key) << "a" << "bc").finish();
    std::cout << std::hex << one << " " << other << "\n";
    return one == other;
}
