// XXH3 with 128 bits and seed 0 for inputs of more than 240 bytes, as the xxHash specification defines it. Java computes the
// same; this is for leaves of 128 KiB, where vectors help, and works at full speed from the first call on.
#include <jni.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define STRIPE_BYTES 64
#define LANES 8
#define SECRET_BYTES 192
#define SECRET_STEP 8
#define STRIPES_A_BLOCK ((SECRET_BYTES - STRIPE_BYTES) / SECRET_STEP)
#define BLOCK_BYTES (STRIPES_A_BLOCK * STRIPE_BYTES)
#define LAST_STRIPE_SECRET (SECRET_BYTES - STRIPE_BYTES - 7)
#define MERGE_SECRET 11
#define DIGEST_BYTES 16

#define PRIME32_1 0x9E3779B1u
#define PRIME32_2 0x85EBCA77u
#define PRIME32_3 0xC2B2AE3Du
#define PRIME64_1 0x9E3779B185EBCA87u
#define PRIME64_2 0xC2B2AE3D27D4EB4Fu
#define PRIME64_3 0x165667B19E3779F9u
#define PRIME64_4 0x85EBCA77C2B2AE63u
#define PRIME64_5 0x27D4EB2F165667C5u
#define AVALANCHE 0x165667919E3779F9u

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

static inline uint64_t read64(const uint8_t *from) {
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline void accumulate(uint64_t acc[LANES], const uint8_t *input, const uint8_t *secret) {
    for (int i = 0; i < LANES; i++) {
        uint64_t value = read64(input + 8 * i);
        uint64_t key = value ^ read64(secret + 8 * i);
        acc[i ^ 1] += value;
        acc[i] += (key & 0xFFFFFFFFu) * (key >> 32);
    }
}

static inline void scramble(uint64_t acc[LANES]) {
    const uint8_t *secret = SECRET + SECRET_BYTES - STRIPE_BYTES;
    for (int i = 0; i < LANES; i++) {
        acc[i] = (acc[i] ^ (acc[i] >> 47) ^ read64(secret + 8 * i)) * PRIME32_1;
    }
}

#if defined(__x86_64__) && defined(__gnu_linux__)
__attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#endif
static void consume(uint64_t acc[LANES], const uint8_t *input, size_t length) {
    size_t blocks = (length - 1) / BLOCK_BYTES;
    for (size_t block = 0; block < blocks; block++) {
        for (int stripe = 0; stripe < STRIPES_A_BLOCK; stripe++) {
            accumulate(acc, input + stripe * STRIPE_BYTES, SECRET + stripe * SECRET_STEP);
        }
        scramble(acc);
        input += BLOCK_BYTES;
    }
    size_t rest = length - blocks * BLOCK_BYTES;
    size_t stripes = (rest - 1) / STRIPE_BYTES;
    for (size_t stripe = 0; stripe < stripes; stripe++) {
        accumulate(acc, input + stripe * STRIPE_BYTES, SECRET + stripe * SECRET_STEP);
    }
    accumulate(acc, input + rest - STRIPE_BYTES, SECRET + LAST_STRIPE_SECRET);
}

static uint64_t merge(const uint64_t acc[LANES], const uint8_t *secret, uint64_t start) {
    uint64_t result = start;
    for (int i = 0; i < LANES / 2; i++) {
        unsigned __int128 product = (unsigned __int128)(acc[2 * i] ^ read64(secret + 16 * i))
            * (acc[2 * i + 1] ^ read64(secret + 16 * i + 8));
        result += (uint64_t)product ^ (uint64_t)(product >> 64);
    }
    result ^= result >> 37;
    result *= AVALANCHE;
    return result ^ (result >> 32);
}

static void put_big_endian(uint8_t *to, uint64_t value) {
    for (int i = 0; i < 8; i++) {
        to[i] = (uint8_t)(value >> (56 - 8 * i));
    }
}

JNIEXPORT void JNICALL Java_io_fdt_core_digest_NativeXxh3_hash(
    JNIEnv *env, jclass type, jlong address, jint length, jbyteArray out, jint out_offset) {
    (void)type;
    uint64_t acc[LANES] __attribute__((aligned(64))) = {
        PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1};
    uint8_t digest[DIGEST_BYTES];
    consume(acc, (const uint8_t *)(uintptr_t)address, (size_t)length);
    uint64_t bytes = (uint64_t)length;
    put_big_endian(digest, merge(acc, SECRET + SECRET_BYTES - STRIPE_BYTES - MERGE_SECRET, ~(bytes * PRIME64_2)));
    put_big_endian(digest + 8, merge(acc, SECRET + MERGE_SECRET, bytes * PRIME64_1));
    (*env)->SetByteArrayRegion(env, out, out_offset, DIGEST_BYTES, (const jbyte *)digest);
}
