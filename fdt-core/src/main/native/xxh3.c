// XXH3 with 128 bits and seed 0, as the xxHash specification defines it. Vector instructions help for leaves of 128 KiB.
// It runs at full speed from the first call.
#include <jni.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define STRIPE_BYTES 64
#define LANES 8
#define SECRET_BYTES 192
#define SECRET_STEP 8
#define STRIPES_A_BLOCK ((SECRET_BYTES - STRIPE_BYTES) / SECRET_STEP)
#define BLOCK_BYTES (STRIPES_A_BLOCK * STRIPE_BYTES)
#define LAST_STRIPE_SECRET (SECRET_BYTES - STRIPE_BYTES - 7)
#define MERGE_SECRET 11
#define DIGEST_BYTES 16
#define SCRAMBLE_SECRET (SECRET + SECRET_BYTES - STRIPE_BYTES)

#define PRIME32_1 0x9E3779B1u
#define PRIME32_2 0x85EBCA77u
#define PRIME32_3 0xC2B2AE3Du
#define PRIME64_1 0x9E3779B185EBCA87u
#define PRIME64_2 0xC2B2AE3D27D4EB4Fu
#define PRIME64_3 0x165667B19E3779F9u
#define PRIME64_4 0x85EBCA77C2B2AE63u
#define PRIME64_5 0x27D4EB2F165667C5u
#define AVALANCHE 0x165667919E3779F9u
#define MIX 0x9FB21C651E98DF25u

static const uint8_t SECRET[SECRET_BYTES] __attribute__((aligned(64))) = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

static inline uint32_t read32(const uint8_t *from) {
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline uint64_t read64(const uint8_t *from) {
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

// The main loop: the accumulators consume one stripe after the other and are scrambled after each block. There is one
// function for each vector instruction set, all with the same result. The plain version, which gcc vectorizes itself,
// is a third as fast.

static inline void accumulate(uint64_t acc[LANES], const uint8_t *input, const uint8_t *secret) {
    for (int i = 0; i < LANES; i++) {
        uint64_t value = read64(input + 8 * i);
        uint64_t key = value ^ read64(secret + 8 * i);
        acc[i ^ 1] += value;
        acc[i] += (key & 0xFFFFFFFFu) * (key >> 32);
    }
}

static inline void scramble(uint64_t acc[LANES]) {
    for (int i = 0; i < LANES; i++) {
        acc[i] = (acc[i] ^ (acc[i] >> 47) ^ read64(SCRAMBLE_SECRET + 8 * i)) * PRIME32_1;
    }
}

static void consume_plain(uint64_t acc[LANES], const uint8_t *input, size_t length) {
    size_t blocks = (length - 1) / BLOCK_BYTES;
    for (size_t block = 0; block < blocks; block++, input += BLOCK_BYTES) {
        for (int stripe = 0; stripe < STRIPES_A_BLOCK; stripe++) {
            accumulate(acc, input + stripe * STRIPE_BYTES, SECRET + stripe * SECRET_STEP);
        }
        scramble(acc);
    }
    size_t rest = length - blocks * BLOCK_BYTES;
    size_t stripes = (rest - 1) / STRIPE_BYTES;
    for (size_t stripe = 0; stripe < stripes; stripe++) {
        accumulate(acc, input + stripe * STRIPE_BYTES, SECRET + stripe * SECRET_STEP);
    }
    accumulate(acc, input + rest - STRIPE_BYTES, SECRET + LAST_STRIPE_SECRET);
}

#if defined(__x86_64__)
#define HALVES_SWAPPED 0x4E

__attribute__((target("avx2"))) static inline __m256i accumulate_avx2(
    __m256i acc, const uint8_t *input, const uint8_t *secret) {
    __m256i value = _mm256_loadu_si256((const __m256i *)input);
    __m256i key = _mm256_xor_si256(value, _mm256_loadu_si256((const __m256i *)secret));
    __m256i product = _mm256_mul_epu32(key, _mm256_srli_epi64(key, 32));
    return _mm256_add_epi64(acc, _mm256_add_epi64(product, _mm256_shuffle_epi32(value, HALVES_SWAPPED)));
}

__attribute__((target("avx2"))) static inline __m256i scramble_avx2(__m256i acc, const uint8_t *secret) {
    const __m256i prime = _mm256_set1_epi32((int)PRIME32_1);
    __m256i mixed = _mm256_xor_si256(acc, _mm256_srli_epi64(acc, 47));
    mixed = _mm256_xor_si256(mixed, _mm256_loadu_si256((const __m256i *)secret));
    __m256i low = _mm256_mul_epu32(mixed, prime);
    __m256i high = _mm256_mul_epu32(_mm256_srli_epi64(mixed, 32), prime);
    return _mm256_add_epi64(low, _mm256_slli_epi64(high, 32));
}

__attribute__((target("avx2"))) static void consume_avx2(uint64_t acc[LANES], const uint8_t *input, size_t length) {
    const int half = STRIPE_BYTES / 2;
    __m256i first = _mm256_load_si256((const __m256i *)acc);
    __m256i second = _mm256_load_si256((const __m256i *)(acc + LANES / 2));
    size_t blocks = (length - 1) / BLOCK_BYTES;
    for (size_t block = 0; block < blocks; block++, input += BLOCK_BYTES) {
        for (int stripe = 0; stripe < STRIPES_A_BLOCK; stripe++) {
            const uint8_t *from = input + stripe * STRIPE_BYTES;
            const uint8_t *secret = SECRET + stripe * SECRET_STEP;
            first = accumulate_avx2(first, from, secret);
            second = accumulate_avx2(second, from + half, secret + half);
        }
        first = scramble_avx2(first, SCRAMBLE_SECRET);
        second = scramble_avx2(second, SCRAMBLE_SECRET + half);
    }
    size_t rest = length - blocks * BLOCK_BYTES;
    size_t stripes = (rest - 1) / STRIPE_BYTES;
    for (size_t stripe = 0; stripe < stripes; stripe++) {
        const uint8_t *from = input + stripe * STRIPE_BYTES;
        const uint8_t *secret = SECRET + stripe * SECRET_STEP;
        first = accumulate_avx2(first, from, secret);
        second = accumulate_avx2(second, from + half, secret + half);
    }
    const uint8_t *last = input + rest - STRIPE_BYTES;
    first = accumulate_avx2(first, last, SECRET + LAST_STRIPE_SECRET);
    second = accumulate_avx2(second, last + half, SECRET + LAST_STRIPE_SECRET + half);
    _mm256_store_si256((__m256i *)acc, first);
    _mm256_store_si256((__m256i *)(acc + LANES / 2), second);
}

__attribute__((target("avx512f"))) static inline __m512i accumulate_avx512(
    __m512i acc, const uint8_t *input, const uint8_t *secret) {
    __m512i value = _mm512_loadu_si512(input);
    __m512i key = _mm512_xor_si512(value, _mm512_loadu_si512(secret));
    __m512i product = _mm512_mul_epu32(key, _mm512_srli_epi64(key, 32));
    return _mm512_add_epi64(acc, _mm512_add_epi64(product, _mm512_shuffle_epi32(value, HALVES_SWAPPED)));
}

__attribute__((target("avx512f"))) static inline __m512i scramble_avx512(__m512i acc, const uint8_t *secret) {
    const __m512i prime = _mm512_set1_epi32((int)PRIME32_1);
    __m512i mixed = _mm512_xor_si512(acc, _mm512_srli_epi64(acc, 47));
    mixed = _mm512_xor_si512(mixed, _mm512_loadu_si512(secret));
    __m512i low = _mm512_mul_epu32(mixed, prime);
    __m512i high = _mm512_mul_epu32(_mm512_srli_epi64(mixed, 32), prime);
    return _mm512_add_epi64(low, _mm512_slli_epi64(high, 32));
}

__attribute__((target("avx512f"))) static void consume_avx512(uint64_t acc[LANES], const uint8_t *input, size_t length) {
    __m512i all = _mm512_load_si512(acc);
    size_t blocks = (length - 1) / BLOCK_BYTES;
    for (size_t block = 0; block < blocks; block++, input += BLOCK_BYTES) {
        for (int stripe = 0; stripe < STRIPES_A_BLOCK; stripe++) {
            all = accumulate_avx512(all, input + stripe * STRIPE_BYTES, SECRET + stripe * SECRET_STEP);
        }
        all = scramble_avx512(all, SCRAMBLE_SECRET);
    }
    size_t rest = length - blocks * BLOCK_BYTES;
    size_t stripes = (rest - 1) / STRIPE_BYTES;
    for (size_t stripe = 0; stripe < stripes; stripe++) {
        all = accumulate_avx512(all, input + stripe * STRIPE_BYTES, SECRET + stripe * SECRET_STEP);
    }
    all = accumulate_avx512(all, input + rest - STRIPE_BYTES, SECRET + LAST_STRIPE_SECRET);
    _mm512_store_si512(acc, all);
}
#endif

// The capabilities of the processor. Each level includes the lower ones. Processors before Ice Lake lower their clock
// for the widest vectors, which costs the rest of the program more than the hash gains. VBMI2 identifies processors
// that do not.
enum level { PLAIN = 0, AVX2 = 1, AVX512 = 2 };

static enum level best_level(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vbmi2")) {
        return AVX512;
    }
    if (__builtin_cpu_supports("avx2")) {
        return AVX2;
    }
#endif
    return PLAIN;
}

static void consume(enum level level, uint64_t acc[LANES], const uint8_t *input, size_t length) {
#if defined(__x86_64__)
    if (level == AVX512) {
        consume_avx512(acc, input, length);
        return;
    }
    if (level == AVX2) {
        consume_avx2(acc, input, length);
        return;
    }
#endif
    (void)level;
    consume_plain(acc, input, length);
}

static uint64_t folded(uint64_t left, uint64_t right) {
    unsigned __int128 product = (unsigned __int128)left * right;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t avalanche(uint64_t value) {
    value = (value ^ (value >> 37)) * AVALANCHE;
    return value ^ (value >> 32);
}

static void put_big_endian(uint8_t *to, uint64_t value) {
    for (int i = 0; i < 8; i++) {
        to[i] = (uint8_t)(value >> (56 - 8 * i));
    }
}

static uint64_t merge(const uint64_t acc[LANES], const uint8_t *secret, uint64_t start) {
    uint64_t result = start;
    for (int i = 0; i < LANES / 2; i++) {
        result += folded(acc[2 * i] ^ read64(secret + 16 * i), acc[2 * i + 1] ^ read64(secret + 16 * i + 8));
    }
    return avalanche(result);
}

struct pair {
    uint64_t low, high;
};

static struct pair hash_long(enum level level, const uint8_t *input, size_t length) {
    uint64_t acc[LANES] __attribute__((aligned(64))) = {
        PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1};
    consume(level, acc, input, length);
    return (struct pair){
        merge(acc, SECRET + MERGE_SECRET, length * PRIME64_1),
        merge(acc, SCRAMBLE_SECRET - MERGE_SECRET, ~(length * PRIME64_2))};
}

// Shorter inputs. Each range of lengths has its own algorithm.

static uint64_t short_avalanche(uint64_t value) {
    value = (value ^ (value >> 33)) * PRIME64_2;
    value = (value ^ (value >> 29)) * PRIME64_3;
    return value ^ (value >> 32);
}

static struct pair hash_up_to_3(const uint8_t *input, size_t length) {
    if (length == 0) {
        return (struct pair){
            short_avalanche(read64(SECRET + 64) ^ read64(SECRET + 72)),
            short_avalanche(read64(SECRET + 80) ^ read64(SECRET + 88))};
    }
    uint32_t low = (uint32_t)input[0] << 16 | (uint32_t)input[length / 2] << 24
        | input[length - 1] | (uint32_t)length << 8;
    uint32_t swapped = __builtin_bswap32(low);
    uint32_t high = swapped << 13 | swapped >> 19;
    return (struct pair){
        short_avalanche(low ^ (uint64_t)(read32(SECRET) ^ read32(SECRET + 4))),
        short_avalanche(high ^ (uint64_t)(read32(SECRET + 8) ^ read32(SECRET + 12)))};
}

static struct pair hash_4_to_8(const uint8_t *input, size_t length) {
    uint64_t both = read32(input) + ((uint64_t)read32(input + length - 4) << 32);
    uint64_t key = both ^ read64(SECRET + 16) ^ read64(SECRET + 24);
    unsigned __int128 product = (unsigned __int128)key * (PRIME64_1 + (length << 2));
    uint64_t low = (uint64_t)product;
    uint64_t high = (uint64_t)(product >> 64) + (low << 1);
    low ^= high >> 3;
    low = (low ^ (low >> 35)) * MIX;
    return (struct pair){low ^ (low >> 28), avalanche(high)};
}

static struct pair hash_9_to_16(const uint8_t *input, size_t length) {
    uint64_t first = read64(input);
    uint64_t last = read64(input + length - 8);
    unsigned __int128 product =
        (unsigned __int128)(first ^ last ^ read64(SECRET + 32) ^ read64(SECRET + 40)) * PRIME64_1;
    uint64_t low = (uint64_t)product + ((uint64_t)(length - 1) << 54);
    last ^= read64(SECRET + 48) ^ read64(SECRET + 56);
    uint64_t high = (uint64_t)(product >> 64) + last + (last & 0xFFFFFFFFu) * (PRIME32_2 - 1);
    low ^= __builtin_bswap64(high);
    product = (unsigned __int128)low * PRIME64_2;
    return (struct pair){
        avalanche((uint64_t)product), avalanche((uint64_t)(product >> 64) + high * PRIME64_2)};
}

static uint64_t mixed(const uint8_t *input, const uint8_t *secret) {
    return folded(read64(input) ^ read64(secret), read64(input + 8) ^ read64(secret + 8));
}

static void mix(struct pair *acc, const uint8_t *first, const uint8_t *second, const uint8_t *secret) {
    acc->low = (acc->low + mixed(first, secret)) ^ (read64(second) + read64(second + 8));
    acc->high = (acc->high + mixed(second, secret + 16)) ^ (read64(first) + read64(first + 8));
}

static struct pair hash_17_to_240(const uint8_t *input, size_t length) {
    struct pair acc = {length * PRIME64_1, 0};
    if (length <= 128) {
        // From the middle outwards.
        for (size_t at = (length - 1) / 32 * 16; at > 0; at -= 16) {
            mix(&acc, input + at, input + length - at - 16, SECRET + 2 * at);
        }
        mix(&acc, input, input + length - 16, SECRET);
    } else {
        for (size_t end = 32; end < 160; end += 32) {
            mix(&acc, input + end - 32, input + end - 16, SECRET + end - 32);
        }
        acc.low = avalanche(acc.low);
        acc.high = avalanche(acc.high);
        for (size_t end = 160; end <= length; end += 32) {
            mix(&acc, input + end - 32, input + end - 16, SECRET + end - 157);
        }
        mix(&acc, input + length - 16, input + length - 32, SECRET + 103);
    }
    return (struct pair){
        avalanche(acc.low + acc.high),
        0 - avalanche(acc.low * PRIME64_1 + acc.high * PRIME64_4 + length * PRIME64_2)};
}

static void hash(enum level level, const uint8_t *input, size_t length, uint8_t digest[DIGEST_BYTES]) {
    struct pair result = length > 240 ? hash_long(level, input, length)
        : length > 16                 ? hash_17_to_240(input, length)
        : length > 8                  ? hash_9_to_16(input, length)
        : length > 3                  ? hash_4_to_8(input, length)
                                      : hash_up_to_3(input, length);
    put_big_endian(digest, result.high);
    put_big_endian(digest + 8, result.low);
}

JNIEXPORT jint JNICALL Java_io_fdt_core_nativecode_NativeCode_xxh3BestLevel(JNIEnv *env, jclass type) {
    (void)env;
    (void)type;
    return best_level();
}

JNIEXPORT void JNICALL Java_io_fdt_core_nativecode_NativeCode_xxh3(
    JNIEnv *env, jclass type, jint level, jlong address, jint length, jbyteArray out, jint out_offset) {
    (void)type;
    uint8_t digest[DIGEST_BYTES];
    hash((enum level)level, (const uint8_t *)(uintptr_t)address, (size_t)length, digest);
    (*env)->SetByteArrayRegion(env, out, out_offset, DIGEST_BYTES, (const jbyte *)digest);
}

JNIEXPORT void JNICALL Java_io_fdt_core_nativecode_NativeCode_xxh3OfArray(
    JNIEnv *env, jclass type, jint level, jbyteArray in, jint length, jbyteArray out, jint out_offset) {
    (void)type;
    uint8_t digest[DIGEST_BYTES];
    void *bytes = (*env)->GetPrimitiveArrayCritical(env, in, NULL);
    if (bytes == NULL) {
        return;
    }
    hash((enum level)level, bytes, (size_t)length, digest);
    (*env)->ReleasePrimitiveArrayCritical(env, in, bytes, JNI_ABORT);
    (*env)->SetByteArrayRegion(env, out, out_offset, DIGEST_BYTES, (const jbyte *)digest);
}
