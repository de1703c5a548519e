// Writes the log of a run that completed every entry of a shard, as fdt client --shard does, without the copy. Used to
// measure the cost of a job with millions of entries for its planner, shard status and shard finish.
//
//   cc -O2 -o run-log run-log.c && ./run-log SHA256_OF_THE_SHARD ENTRIES >job/run-0000-0000000000000000.log
//
// The format is defined in RunLog.java and Frame.java. The digests are marked as XXH3-128, but their bytes are derived
// from the index.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRY = 1, END = 3, CONFIRMED = 4, MODE_TIMES_LINKS = 7, IN_PLACE = 0, XXH3_128 = 1, DIGEST_BYTES = 16, BUFFER_BYTES = 64 };

static const uint64_t MAGIC = 0x46445452554E4C02;
static uint32_t table[256];

static void make_table(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc & 1 ? crc >> 1 ^ 0x82F63B78 : crc >> 1;
        }
        table[byte] = crc;
    }
}

static uint32_t crc32c(const uint8_t *bytes, size_t count) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < count; i++) {
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xFF];
    }
    return ~crc;
}

// Appends a value in big-endian order.
static size_t put(uint8_t *record, size_t at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        record[at + i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
    }
    return at + bytes;
}

static void write_out(const uint8_t *bytes, size_t count) {
    if (fwrite(bytes, 1, count, stdout) != count) {
        perror("run-log");
        exit(1);
    }
}

// Length, body, CRC of the body.
static void write_record(const uint8_t *body, size_t count) {
    uint8_t record[BUFFER_BYTES + 8];
    size_t at = put(record, 0, count, 4);
    memcpy(record + at, body, count);
    write_out(record, put(record, at + count, crc32c(body, count), 4));
}

int main(int argc, char **argv) {
    if (argc != 3 || strlen(argv[1]) != 64) {
        fprintf(stderr, "run-log: write run-log SHA256 ENTRIES\n");
        return 2;
    }
    make_table();
    uint8_t header[40];
    put(header, 0, MAGIC, 8);
    for (int i = 0; i < 32; i++) {
        unsigned byte;
        if (sscanf(argv[1] + 2 * i, "%2x", &byte) != 1) {
            fprintf(stderr, "run-log: '%s' is no digest\n", argv[1]);
            return 2;
        }
        header[8 + i] = (uint8_t)byte;
    }
    write_out(header, sizeof header);
    uint8_t body[BUFFER_BYTES];
    uint64_t entries = strtoull(argv[2], NULL, 10);
    for (uint64_t index = 0; index < entries; index++) {
        size_t at = put(body, 0, ENTRY, 1);
        at = put(body, at, index, 8);
        at = put(body, at, IN_PLACE, 1);
        at = put(body, at, 4096, 8);
        at = put(body, at, XXH3_128, 1);
        at = put(body, at, DIGEST_BYTES, 1);
        at = put(body, at, index * 0x9E3779B97F4A7C15, 8);
        at = put(body, at, ~index, 8);
        write_record(body, put(body, at, 0, 2));
    }
    size_t at = put(body, 0, CONFIRMED, 1);
    write_record(body, put(body, at, MODE_TIMES_LINKS, 4));
    at = put(body, 0, END, 1);
    at = put(body, at, 0, 4);
    write_record(body, put(body, at, entries * 4096, 8));
    return fflush(stdout) == 0 ? 0 : 1;
}
