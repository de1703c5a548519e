// Adler-32, CRC-32C and CRC-32, continued from their values over the bytes before. They are computed beside XXH3 while
// a leaf is in the cache, so each has a version for wide vectors, one that most processors have, and a plain one; all
// give the same results. It runs at full speed from the first call.
#include <jni.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <arm_neon.h>
#include <sys/auxv.h>
#endif

// The kinds, as bits and by their place in the array of the caller.
enum kind { ADLER32 = 0, CRC32C = 1, CRC32 = 2, KINDS = 3 };

enum level { PLAIN = 0, COMMON = 1, WIDE = 2 };

#define ADLER_MODULUS 65521u
/** As many bytes as the sums of every version hold without a division. */
#define ADLER_STRETCH_BYTES (1 << 20)
/** As many bytes as sums of 32 bits hold. */
#define PLAIN_STRETCH_BYTES 5552
#define VECTOR_BYTES 64

// ---- Adler-32: the sum of all bytes and one, and the sum of these sums, modulo a prime.

struct adler {
    uint64_t bytes, sums;
};

static void adler_plain(struct adler *to, const uint8_t *input, size_t length) {
    uint32_t bytes = (uint32_t)(to->bytes % ADLER_MODULUS), sums = (uint32_t)(to->sums % ADLER_MODULUS);
    while (length > 0) {
        size_t stretch = length < PLAIN_STRETCH_BYTES ? length : PLAIN_STRETCH_BYTES;
        for (size_t i = 0; i < stretch; i++) {
            bytes += input[i];
            sums += bytes;
        }
        bytes %= ADLER_MODULUS;
        sums %= ADLER_MODULUS;
        input += stretch;
        length -= stretch;
    }
    *to = (struct adler){bytes, sums};
}

/** Adds a stretch of vectors: the sum of their bytes, of what was before each vector, and by their place in one. */
static void add_vectors(struct adler *to, size_t length, uint64_t bytes, uint64_t before, uint64_t weighted) {
    to->sums += (uint64_t)length * to->bytes + VECTOR_BYTES * before + weighted;
    to->bytes += bytes;
    to->sums %= ADLER_MODULUS;
    to->bytes %= ADLER_MODULUS;
}

static const int8_t WEIGHTS[VECTOR_BYTES] __attribute__((aligned(64))) = {
    64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36,
    35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6,
    5, 4, 3, 2, 1};

#if defined(__x86_64__)
#define PRODUCTS 4
#define WIDE_TARGET "avx512f,avx512bw,avx512vl,avx512vnni,vpclmulqdq,pclmul,sse4.1"

__attribute__((target("avx2"))) static uint64_t sum_of_64(__m256i lanes) {
    uint64_t each[4];
    _mm256_storeu_si256((__m256i *)each, lanes);
    return each[0] + each[1] + each[2] + each[3];
}

__attribute__((target("avx2"))) static uint64_t sum_of_32(__m256i lanes) {
    const __m256i low = _mm256_set1_epi64x(0xFFFFFFFF);
    return sum_of_64(_mm256_add_epi64(_mm256_and_si256(lanes, low), _mm256_srli_epi64(lanes, 32)));
}

__attribute__((target("avx2"))) static void adler_avx2(struct adler *to, const uint8_t *input, size_t length) {
    const __m256i none = _mm256_setzero_si256();
    const __m256i ones = _mm256_set1_epi16(1);
    const __m256i first_weights = _mm256_load_si256((const __m256i *)WEIGHTS);
    const __m256i last_weights = _mm256_load_si256((const __m256i *)(WEIGHTS + VECTOR_BYTES / 2));
    __m256i bytes = none, before = none, weighted = none;
    for (size_t i = 0; i < length; i += VECTOR_BYTES) {
        __m256i first = _mm256_loadu_si256((const __m256i *)(input + i));
        __m256i last = _mm256_loadu_si256((const __m256i *)(input + i + VECTOR_BYTES / 2));
        before = _mm256_add_epi64(before, bytes);
        bytes = _mm256_add_epi64(bytes, _mm256_add_epi64(_mm256_sad_epu8(first, none), _mm256_sad_epu8(last, none)));
        __m256i pairs = _mm256_madd_epi16(_mm256_maddubs_epi16(first, first_weights), ones);
        weighted = _mm256_add_epi32(weighted, pairs);
        pairs = _mm256_madd_epi16(_mm256_maddubs_epi16(last, last_weights), ones);
        weighted = _mm256_add_epi32(weighted, pairs);
    }
    add_vectors(to, length, sum_of_64(bytes), sum_of_64(before), sum_of_32(weighted));
}

__attribute__((target(WIDE_TARGET))) static void adler_avx512(struct adler *to, const uint8_t *input, size_t length) {
    const __m512i none = _mm512_setzero_si512();
    const __m512i weights = _mm512_load_si512(WEIGHTS);
    __m512i bytes = none, before = none;
    // The products take several cycles each, so they are added up in turns.
    __m512i products[PRODUCTS] = {none, none, none, none};
    size_t i = 0;
    for (; i + PRODUCTS * VECTOR_BYTES <= length; i += PRODUCTS * VECTOR_BYTES) {
        for (int j = 0; j < PRODUCTS; j++) {
            __m512i vector = _mm512_loadu_si512(input + i + j * VECTOR_BYTES);
            before = _mm512_add_epi64(before, bytes);
            bytes = _mm512_add_epi64(bytes, _mm512_sad_epu8(vector, none));
            products[j] = _mm512_dpbusd_epi32(products[j], vector, weights);
        }
    }
    for (; i < length; i += VECTOR_BYTES) {
        __m512i vector = _mm512_loadu_si512(input + i);
        before = _mm512_add_epi64(before, bytes);
        bytes = _mm512_add_epi64(bytes, _mm512_sad_epu8(vector, none));
        products[0] = _mm512_dpbusd_epi32(products[0], vector, weights);
    }
    __m512i weighted = _mm512_add_epi32(
        _mm512_add_epi32(products[0], products[1]), _mm512_add_epi32(products[2], products[3]));
    uint64_t sum = (uint64_t)_mm512_reduce_add_epi64(_mm512_cvtepu32_epi64(_mm512_castsi512_si256(weighted)))
        + (uint64_t)_mm512_reduce_add_epi64(_mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(weighted, 1)));
    add_vectors(
        to, length, (uint64_t)_mm512_reduce_add_epi64(bytes), (uint64_t)_mm512_reduce_add_epi64(before), sum);
}
#elif defined(__aarch64__)
static void adler_neon(struct adler *to, const uint8_t *input, size_t length) {
    uint64x2_t bytes = vdupq_n_u64(0), before = bytes;
    uint32x4_t weighted = vdupq_n_u32(0);
    uint8x16_t weights[4];
    for (int i = 0; i < 4; i++) {
        weights[i] = vreinterpretq_u8_s8(vld1q_s8(WEIGHTS + 16 * i));
    }
    for (size_t i = 0; i < length; i += VECTOR_BYTES) {
        before = vaddq_u64(before, bytes);
        uint16x8_t sums = vdupq_n_u16(0);
        for (int j = 0; j < 4; j++) {
            uint8x16_t part = vld1q_u8(input + i + 16 * j);
            sums = vpadalq_u8(sums, part);
            weighted = vpadalq_u16(weighted, vmull_u8(vget_low_u8(part), vget_low_u8(weights[j])));
            weighted = vpadalq_u16(weighted, vmull_high_u8(part, weights[j]));
        }
        bytes = vpadalq_u32(bytes, vpaddlq_u16(sums));
    }
    add_vectors(to, length, vaddvq_u64(bytes), vaddvq_u64(before), vaddlvq_u32(weighted));
}
#endif

static uint32_t adler32(enum level level, uint32_t start, const uint8_t *input, size_t length) {
    struct adler sum = {start & 0xFFFF, start >> 16};
    while (level != PLAIN && length >= VECTOR_BYTES) {
        size_t stretch = length < ADLER_STRETCH_BYTES ? length - length % VECTOR_BYTES : ADLER_STRETCH_BYTES;
#if defined(__x86_64__)
        (level == WIDE ? adler_avx512 : adler_avx2)(&sum, input, stretch);
#elif defined(__aarch64__)
        adler_neon(&sum, input, stretch);
#endif
        input += stretch;
        length -= stretch;
    }
    adler_plain(&sum, input, length);
    return (uint32_t)(sum.sums << 16 | sum.bytes);
}

// ---- The CRCs: remainders of polynomials whose highest coefficient is the lowest bit. Between calls of the functions
// below, the sum is the remainder itself, which is inverted in a checksum.

#define SLICES 8

struct crc {
    uint32_t polynomial;
    /** The remainders of a byte before i zero bytes. */
    uint32_t slices[SLICES][256];
    /** The factors that move the halves of 16 bytes over this many bytes. */
    uint64_t over16[2], over64[2], over256[2];
};

static struct crc CRCS[KINDS];

/** Returns x to the power of n, with n at least 31. */
static uint32_t power(uint32_t polynomial, int n) {
    uint32_t remainder = 1;
    for (int i = 31; i < n; i++) {
        remainder = remainder >> 1 ^ (remainder & 1 ? polynomial : 0);
    }
    return remainder;
}

static void set_fold(uint64_t factors[2], uint32_t polynomial, int bytes) {
    factors[0] = (uint64_t)power(polynomial, 8 * bytes + 32) << 1;
    factors[1] = (uint64_t)power(polynomial, 8 * bytes - 32) << 1;
}

static void prepare(struct crc *crc, uint32_t polynomial) {
    crc->polynomial = polynomial;
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t remainder = byte;
        for (int slice = 0; slice < SLICES; slice++) {
            for (int i = 0; i < 8; i++) {
                remainder = remainder >> 1 ^ (remainder & 1 ? polynomial : 0);
            }
            crc->slices[slice][byte] = remainder;
        }
    }
    set_fold(crc->over16, polynomial, 16);
    set_fold(crc->over64, polynomial, 64);
    set_fold(crc->over256, polynomial, 256);
}

__attribute__((constructor)) static void prepare_all(void) {
    prepare(&CRCS[CRC32C], 0x82F63B78u);
    prepare(&CRCS[CRC32], 0xEDB88320u);
}

static uint32_t crc_plain(const struct crc *crc, uint32_t sum, const uint8_t *input, size_t length) {
    while (length >= SLICES) {
        uint32_t first, last;
        memcpy(&first, input, sizeof first);
        memcpy(&last, input + sizeof first, sizeof last);
        first ^= sum;
        sum = 0;
        for (int i = 0; i < 4; i++) {
            sum ^= crc->slices[7 - i][first >> 8 * i & 0xFF] ^ crc->slices[3 - i][last >> 8 * i & 0xFF];
        }
        input += SLICES;
        length -= SLICES;
    }
    while (length-- > 0) {
        sum = sum >> 8 ^ crc->slices[0][(sum ^ *input++) & 0xFF];
    }
    return sum;
}

#if defined(__x86_64__)
#define FOLD_TARGET "pclmul,sse4.1"
#define LOW_HALVES 0x00
#define HIGH_HALVES 0x11
#define ALL_THREE 0x96

/** Moves bytes over a distance: the result has the remainder that they had in their place. */
__attribute__((target(FOLD_TARGET))) static inline __m128i folded(__m128i bytes, __m128i factors) {
    return _mm_xor_si128(
        _mm_clmulepi64_si128(bytes, factors, LOW_HALVES), _mm_clmulepi64_si128(bytes, factors, HIGH_HALVES));
}

__attribute__((target(FOLD_TARGET))) static inline __m128i read128(const uint8_t *from) {
    return _mm_loadu_si128((const __m128i *)from);
}

/** For at least 64 bytes. Four folds run beside each other. */
__attribute__((target(FOLD_TARGET))) static uint32_t crc_fold(
    const struct crc *crc, uint32_t sum, const uint8_t *input, size_t length) {
    const __m128i over64 = _mm_loadu_si128((const __m128i *)crc->over64);
    const __m128i over16 = _mm_loadu_si128((const __m128i *)crc->over16);
    __m128i parts[4];
    for (int i = 0; i < 4; i++) {
        parts[i] = read128(input + 16 * i);
    }
    parts[0] = _mm_xor_si128(parts[0], _mm_cvtsi32_si128((int)sum));
    size_t at = 64;
    for (; length - at >= 64; at += 64) {
        for (int i = 0; i < 4; i++) {
            parts[i] = _mm_xor_si128(folded(parts[i], over64), read128(input + at + 16 * i));
        }
    }
    __m128i all = parts[0];
    for (int i = 1; i < 4; i++) {
        all = _mm_xor_si128(folded(all, over16), parts[i]);
    }
    for (; length - at >= 16; at += 16) {
        all = _mm_xor_si128(folded(all, over16), read128(input + at));
    }
    uint8_t rest[16];
    _mm_storeu_si128((__m128i *)rest, all);
    return crc_plain(crc, crc_plain(crc, 0, rest, sizeof rest), input + at, length - at);
}

__attribute__((target(WIDE_TARGET))) static inline __m512i folded512(__m512i bytes, __m512i factors, __m512i next) {
    return _mm512_ternarylogic_epi64(
        _mm512_clmulepi64_epi128(bytes, factors, LOW_HALVES),
        _mm512_clmulepi64_epi128(bytes, factors, HIGH_HALVES),
        next,
        ALL_THREE);
}

/** For at least 256 bytes. */
__attribute__((target(WIDE_TARGET))) static uint32_t crc_fold512(
    const struct crc *crc, uint32_t sum, const uint8_t *input, size_t length) {
    const __m512i over256 = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)crc->over256));
    __m512i parts[4];
    for (int i = 0; i < 4; i++) {
        parts[i] = _mm512_loadu_si512(input + 64 * i);
    }
    parts[0] = _mm512_xor_si512(parts[0], _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)sum)));
    size_t at = 256;
    for (; length - at >= 256; at += 256) {
        for (int i = 0; i < 4; i++) {
            parts[i] = folded512(parts[i], over256, _mm512_loadu_si512(input + at + 64 * i));
        }
    }
    uint8_t rest[256];
    for (int i = 0; i < 4; i++) {
        _mm512_storeu_si512(rest + 64 * i, parts[i]);
    }
    sum = crc_fold(crc, 0, rest, sizeof rest);
    return length - at >= 64 ? crc_fold(crc, sum, input + at, length - at)
                             : crc_plain(crc, sum, input + at, length - at);
}
#elif defined(__aarch64__)
// The instructions wait for each other, so three stretches are computed beside each other and then joined.
#define JOINED 3
#define SHORTEST_JOINED (JOINED * 1024)

static uint32_t times(uint32_t polynomial, uint32_t left, uint32_t right) {
    uint32_t product = 0;
    for (uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
        product ^= left & bit ? right : 0;
        right = right >> 1 ^ (right & 1 ? polynomial : 0);
    }
    return product;
}

/** Returns x to the power of 8 * bytes. */
static uint32_t power_of_bytes(uint32_t polynomial, size_t bytes) {
    uint32_t result = 1u << 31, square = 1u << 23;
    for (; bytes != 0; bytes >>= 1) {
        result = bytes & 1 ? times(polynomial, square, result) : result;
        square = times(polynomial, square, square);
    }
    return result;
}

#define CRC_BY_INSTRUCTIONS(name, eight, one)                                                                        \
    __attribute__((target("+crc"))) static uint32_t name##_part(uint32_t sum, const uint8_t *input, size_t length) { \
        for (; length >= 8; length -= 8, input += 8) {                                                               \
            uint64_t value;                                                                                          \
            memcpy(&value, input, sizeof value);                                                                     \
            sum = eight(sum, value);                                                                                 \
        }                                                                                                            \
        while (length-- > 0) {                                                                                       \
            sum = one(sum, *input++);                                                                                \
        }                                                                                                            \
        return sum;                                                                                                  \
    }                                                                                                                \
                                                                                                                     \
    __attribute__((target("+crc"))) static uint32_t name(                                                            \
        const struct crc *crc, uint32_t sum, const uint8_t *input, size_t length) {                                  \
        if (length < SHORTEST_JOINED) {                                                                              \
            return name##_part(sum, input, length);                                                                  \
        }                                                                                                            \
        size_t part = length / JOINED / 8 * 8;                                                                       \
        uint32_t sums[JOINED] = {sum, 0, 0};                                                                         \
        for (size_t at = 0; at < part; at += 8) {                                                                    \
            for (int i = 0; i < JOINED; i++) {                                                                       \
                uint64_t value;                                                                                      \
                memcpy(&value, input + i * part + at, sizeof value);                                                 \
                sums[i] = eight(sums[i], value);                                                                     \
            }                                                                                                        \
        }                                                                                                            \
        uint32_t factor = power_of_bytes(crc->polynomial, part);                                                     \
        sum = times(crc->polynomial, factor, sums[0]) ^ sums[1];                                                     \
        sum = times(crc->polynomial, factor, sum) ^ sums[2];                                                         \
        return name##_part(sum, input + JOINED * part, length - JOINED * part);                                      \
    }

CRC_BY_INSTRUCTIONS(crc32c_by_instructions, __crc32cd, __crc32cb)
CRC_BY_INSTRUCTIONS(crc32_by_instructions, __crc32d, __crc32b)
#endif

static uint32_t crc32(enum level level, enum kind kind, uint32_t start, const uint8_t *input, size_t length) {
    const struct crc *crc = &CRCS[kind];
    (void)level;
#if defined(__x86_64__)
    if (level == WIDE && length >= 256) {
        return ~crc_fold512(crc, ~start, input, length);
    }
    if (level != PLAIN && length >= 64) {
        return ~crc_fold(crc, ~start, input, length);
    }
#elif defined(__aarch64__)
    if (level != PLAIN) {
        return ~(kind == CRC32C ? crc32c_by_instructions : crc32_by_instructions)(crc, ~start, input, length);
    }
#endif
    return ~crc_plain(crc, ~start, input, length);
}

// Wide vectors are used only by processors that do not lower their clock for them, as for XXH3.
static enum level best_level(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    int common = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul");
    int wide = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
        && __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vnni")
        && __builtin_cpu_supports("vpclmulqdq");
    return common && wide ? WIDE : common ? COMMON : PLAIN;
#elif defined(__aarch64__)
    return getauxval(AT_HWCAP) & HWCAP_CRC32 ? COMMON : PLAIN;
#else
    return PLAIN;
#endif
}

static void add(enum level level, int kinds, const uint8_t *input, size_t length, jint sums[KINDS]) {
    if (kinds & 1 << ADLER32) {
        sums[ADLER32] = (jint)adler32(level, (uint32_t)sums[ADLER32], input, length);
    }
    for (enum kind kind = CRC32C; kind <= CRC32; kind++) {
        if (kinds & 1 << kind) {
            sums[kind] = (jint)crc32(level, kind, (uint32_t)sums[kind], input, length);
        }
    }
}

JNIEXPORT jint JNICALL Java_io_fdt_core_nativecode_NativeCode_checksumsBestLevel(JNIEnv *env, jclass type) {
    (void)env;
    (void)type;
    return best_level();
}

JNIEXPORT void JNICALL Java_io_fdt_core_nativecode_NativeCode_addToChecksums(
    JNIEnv *env, jclass type, jint level, jint kinds, jlong address, jint length, jintArray sums) {
    (void)type;
    jint values[KINDS];
    (*env)->GetIntArrayRegion(env, sums, 0, KINDS, values);
    add((enum level)level, kinds, (const uint8_t *)(uintptr_t)address, (size_t)length, values);
    (*env)->SetIntArrayRegion(env, sums, 0, KINDS, values);
}
