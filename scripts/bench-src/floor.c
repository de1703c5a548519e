// The baseline for a network test: the throughput of the kernel alone over loopback. One thread for each end of a
// stream, blocking calls. Every sender sends the same block repeatedly, every receiver drops the data (MSG_TRUNC) or
// copies it out.
//
//   cc -O2 -pthread -o floor floor.c && ./floor discard|copy STREAMS BOTH_WAYS(0|1) BLOCK_BYTES SECONDS
//
// Prints one JSON line.
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PAIRS = 128 };

struct end {
    int socket;
    unsigned long long bytes;
    pthread_t thread;
};

static size_t block_bytes;
static char *sent_block;
static int copies;
static volatile int over;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void *send_all(void *argument) {
    struct end *end = argument;
    size_t at = 0;
    while (!over) {
        ssize_t sent = send(end->socket, sent_block + at, block_bytes - at, MSG_NOSIGNAL);
        if (sent < 0) break;
        end->bytes += (unsigned long long)sent;
        at = (at + (size_t)sent) % block_bytes;
    }
    shutdown(end->socket, SHUT_WR);
    return NULL;
}

static void *receive_all(void *argument) {
    struct end *end = argument;
    void *block;
    if (posix_memalign(&block, 4096, block_bytes) != 0) fail("memory");
    for (;;) {
        ssize_t came = recv(end->socket, block, block_bytes, copies ? 0 : MSG_TRUNC);
        if (came <= 0) break;
        end->bytes += (unsigned long long)came;
    }
    free(block);
    return NULL;
}

static void connect_pair(int listener, const struct sockaddr_in *address, int *one, int *other) {
    int on = 1;
    *one = socket(AF_INET, SOCK_STREAM, 0);
    if (*one < 0 || connect(*one, (const struct sockaddr *)address, sizeof *address) != 0) fail("connect");
    *other = accept(listener, NULL, NULL);
    if (*other < 0) fail("accept");
    setsockopt(*one, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(*other, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static double seconds_of(struct timeval value) { return (double)value.tv_sec + (double)value.tv_usec / 1e6; }

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **words) {
    if (count != 6) {
        fprintf(stderr, "usage: floor discard|copy STREAMS BOTH_WAYS BLOCK_BYTES SECONDS\n");
        return 2;
    }
    copies = strcmp(words[1], "copy") == 0;
    int streams = atoi(words[2]), both = atoi(words[3]), pairs = streams * (both ? 2 : 1);
    block_bytes = strtoul(words[4], NULL, 10);
    int seconds = atoi(words[5]);
    if (pairs < 1 || pairs > MAX_PAIRS || block_bytes < 1 || seconds < 1) {
        fprintf(stderr, "floor: 1 to %d streams, a block and a time are needed\n", MAX_PAIRS);
        return 2;
    }
    void *memory;
    if (posix_memalign(&memory, 4096, block_bytes) != 0) fail("memory");
    sent_block = memset(memory, 0x5a, block_bytes);

    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, MAX_PAIRS) != 0)
        fail("listen");
    getsockname(listener, (struct sockaddr *)&address, &length);

    static struct end senders[MAX_PAIRS], receivers[MAX_PAIRS];
    for (int i = 0; i < pairs; i++) connect_pair(listener, &address, &senders[i].socket, &receivers[i].socket);
    double begin = now();
    for (int i = 0; i < pairs; i++) {
        pthread_create(&receivers[i].thread, NULL, receive_all, &receivers[i]);
        pthread_create(&senders[i].thread, NULL, send_all, &senders[i]);
    }
    sleep((unsigned)seconds);
    over = 1;
    unsigned long long sent = 0, received = 0;
    for (int i = 0; i < pairs; i++) {
        pthread_join(senders[i].thread, NULL);
        pthread_join(receivers[i].thread, NULL);
        sent += senders[i].bytes;
        received += receivers[i].bytes;
    }
    double elapsed = now() - begin;
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    double cpu = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
    printf("{\"bits_per_second\":%.0f,\"cpu_seconds_per_gb\":%.4f,\"bytes_sent\":%llu,\"bytes_received\":%llu}\n",
           (double)received * 8 / elapsed, cpu / ((double)received / 1e9), sent, received);
    return sent == received ? 0 : 1;
}
