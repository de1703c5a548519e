#define _GNU_SOURCE
/* A long path between two TUN devices: a line with a rate limit and a buffer in front of it, loss, and a round-trip
 * time.
 *
 *   longpath NEAR FAR    creates both devices, prints "ready", and reads one path a line from its input:
 *                        RATE_MBIT ROUND_TRIP_MS LOSS_PERCENT BUFFER_BYTES
 *
 * From NEAR to FAR packets wait in the buffer, may be lost, and are delayed by half of the round-trip time. In the
 * other direction they are delayed by the other half, without a limit. Ends at the end of its input. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 1 << 16, MOST = 9216 };

struct packet {
    int64_t due;
    int length;
    char *bytes;
};

struct way {
    int from, to;
    struct packet *ring;
    unsigned head, tail;
    int64_t busy_until;
    int limited;
};

static double rate_mbit = 1000, trip_ms, loss_percent;
static long buffer_bytes = 1 << 20;

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int tun(const char *name) {
    struct ifreq request = {0};
    int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    if (fd < 0 || ioctl(fd, TUNSETIFF, &request) < 0) {
        perror(name);
        exit(1);
    }
    return fd;
}

static void take(struct way *w) {
    char bytes[MOST];
    for (int turns = 0; turns < 64; turns++) {
        int length = read(w->from, bytes, sizeof bytes);
        if (length <= 0) return;
        if (w->head - w->tail == SLOTS) continue;
        int64_t at = now(), due = at + (int64_t)(trip_ms * 500000);
        if (w->limited) {
            if (drand48() * 100 < loss_percent) continue;
            int64_t start = w->busy_until > at ? w->busy_until : at;
            /* The bytes in front of the packet, at the rate of the line. */
            if ((start - at) * rate_mbit / 8000 > buffer_bytes) continue;
            w->busy_until = start + (int64_t)(length * 8000 / rate_mbit);
            due = w->busy_until + (int64_t)(trip_ms * 500000);
        }
        struct packet *slot = &w->ring[w->head++ % SLOTS];
        memcpy(slot->bytes, bytes, length);
        slot->length = length;
        slot->due = due;
    }
}

static int64_t give(struct way *w, int64_t at) {
    while (w->head != w->tail) {
        struct packet *slot = &w->ring[w->tail % SLOTS];
        if (slot->due > at) return slot->due;
        if (write(w->to, slot->bytes, slot->length) < 0 && errno == EAGAIN) return at + 50000;
        w->tail++;
    }
    return INT64_MAX;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    struct way ways[2] = {{.limited = 1}, {0}};
    int near = tun(argv[1]), far = tun(argv[2]);
    ways[0].from = ways[1].to = near;
    ways[0].to = ways[1].from = far;
    for (int i = 0; i < 2; i++) {
        char *memory = malloc((size_t)SLOTS * MOST);
        ways[i].ring = calloc(SLOTS, sizeof(struct packet));
        for (int slot = 0; slot < SLOTS; slot++) ways[i].ring[slot].bytes = memory + (size_t)slot * MOST;
    }
    prctl(PR_SET_TIMERSLACK, 1000);
    setvbuf(stdin, NULL, _IONBF, 0);
    puts("ready");
    fflush(stdout);
    for (;;) {
        int64_t at = now(), first = give(&ways[0], at), second = give(&ways[1], at);
        int64_t next = first < second ? first : second;
        struct timespec wait = {0, 200000000};
        if (next - at < wait.tv_nsec) wait.tv_nsec = next > at ? next - at : 0;
        struct pollfd polled[3] = {{near, POLLIN, 0}, {far, POLLIN, 0}, {0, POLLIN, 0}};
        if (ppoll(polled, 3, &wait, NULL) < 0) continue;
        if (polled[0].revents) take(&ways[0]);
        if (polled[1].revents) take(&ways[1]);
        if (polled[2].revents) {
            char line[256];
            if (!fgets(line, sizeof line, stdin)) return 0;
            if (sscanf(line, "%lf %lf %lf %ld", &rate_mbit, &trip_ms, &loss_percent, &buffer_bytes) != 4) return 2;
            ways[0].head = ways[0].tail = ways[1].head = ways[1].tail = 0;
            ways[0].busy_until = 0;
            puts("set");
            fflush(stdout);
        }
    }
}
