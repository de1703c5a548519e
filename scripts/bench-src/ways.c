// Ways to send a file or a block of memory into a TCP socket, without fdt, to compare their costs over loopback. One
// thread for each end of a stream, blocking calls. The receivers drop the data (MSG_TRUNC), so nearly all of the
// difference is in the senders.
//
//   cc -O2 -pthread -o ways ways.c -luring && ./ways WAY FILE STREAMS BLOCK_BYTES SECONDS
//
//   memory     send of the same block, repeatedly          zerocopy   the same with MSG_ZEROCOPY
//   uring      io_uring: send of a registered block        uring-zc   the same with its zero-copy send
//   read       pread of the file, then send                map        send from the mapped file
//   sendfile   from the file into the socket               splice     from the file through a pipe into the socket
//
// Every stream sends the whole file from the start, repeatedly. Prints one JSON line.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { MAX_STREAMS = 128 };

struct stream {
    int socket, file, pipe[2];
    char *block;
    off_t at;
    unsigned under_way; // by zerocopy, not yet reported as done
    struct io_uring ring;
    unsigned long long bytes;
    double cpu;
    pthread_t thread;
};

typedef ssize_t way_step(struct stream *stream);

static size_t block_bytes;
static off_t file_bytes;
static const char *mapped;
static volatile int over;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static double seconds_of(struct timeval value) { return (double)value.tv_sec + (double)value.tv_usec / 1e6; }

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double thread_cpu(void) {
    struct rusage used;
    getrusage(RUSAGE_THREAD, &used);
    return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

static size_t next_bytes(struct stream *stream) {
    if (stream->at >= file_bytes) stream->at = 0;
    size_t left = (size_t)(file_bytes - stream->at);
    return left < block_bytes ? left : block_bytes;
}

static ssize_t send_whole(struct stream *stream, const char *bytes, size_t length) {
    size_t at = 0;
    while (at < length) {
        ssize_t sent = send(stream->socket, bytes + at, length - at, MSG_NOSIGNAL);
        if (sent < 0) return -1;
        at += (size_t)sent;
    }
    return (ssize_t)length;
}

static ssize_t by_memory(struct stream *stream) { return send_whole(stream, stream->block, block_bytes); }

static ssize_t by_read(struct stream *stream) {
    size_t length = next_bytes(stream);
    if (pread(stream->file, stream->block, length, stream->at) != (ssize_t)length) fail("pread");
    stream->at += (off_t)length;
    return send_whole(stream, stream->block, length);
}

static ssize_t by_map(struct stream *stream) {
    size_t length = next_bytes(stream);
    const char *bytes = mapped + stream->at;
    stream->at += (off_t)length;
    return send_whole(stream, bytes, length);
}

static ssize_t by_sendfile(struct stream *stream) {
    return sendfile(stream->socket, stream->file, &stream->at, next_bytes(stream));
}

static ssize_t by_splice(struct stream *stream) {
    ssize_t filled = splice(stream->file, &stream->at, stream->pipe[1], NULL, next_bytes(stream), SPLICE_F_MOVE);
    if (filled <= 0) return -1;
    for (ssize_t left = filled; left > 0;) {
        ssize_t moved = splice(stream->pipe[0], NULL, stream->socket, NULL, (size_t)left, SPLICE_F_MOVE | SPLICE_F_MORE);
        if (moved <= 0) return -1;
        left -= moved;
    }
    return filled;
}

// Reads completions from the kernel. Waits for some if a block in flight would otherwise be overwritten.
static void reap_zerocopy(struct stream *stream, unsigned allowed) {
    while (stream->under_way > allowed) {
        char control[128];
        struct msghdr message = {.msg_control = control, .msg_controllen = sizeof control};
        if (recvmsg(stream->socket, &message, MSG_ERRQUEUE) < 0) {
            struct pollfd done = {.fd = stream->socket};
            if (errno != EAGAIN) fail("error queue");
            poll(&done, 1, 1000);
            continue;
        }
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        const struct sock_extended_err *range = (const void *)CMSG_DATA(header);
        stream->under_way -= range->ee_data - range->ee_info + 1;
    }
}

static ssize_t by_zerocopy(struct stream *stream) {
    ssize_t sent = send(stream->socket, stream->block, block_bytes, MSG_NOSIGNAL | MSG_ZEROCOPY);
    if (sent < 0 && errno == ENOBUFS) {
        reap_zerocopy(stream, 0);
        return 0;
    }
    if (sent > 0) {
        stream->under_way++;
        reap_zerocopy(stream, 8);
    }
    return sent;
}

static ssize_t by_ring(struct stream *stream, int zerocopy) {
    struct io_uring_sqe *entry = io_uring_get_sqe(&stream->ring);
    if (zerocopy)
        io_uring_prep_send_zc(entry, stream->socket, stream->block, block_bytes, MSG_NOSIGNAL, IORING_RECVSEND_FIXED_BUF);
    else
        io_uring_prep_write_fixed(entry, stream->socket, stream->block, (unsigned)block_bytes, 0, 0);
    entry->buf_index = 0;
    ssize_t sent = -1;
    int more = 1;
    if (io_uring_submit_and_wait(&stream->ring, 1) < 0) return -1;
    while (more) {
        struct io_uring_cqe *completion;
        if (io_uring_wait_cqe(&stream->ring, &completion) < 0) return -1;
        if (!(completion->flags & IORING_CQE_F_NOTIF)) sent = completion->res;
        more = (completion->flags & IORING_CQE_F_MORE) != 0;
        io_uring_cqe_seen(&stream->ring, completion);
    }
    return sent;
}

static ssize_t by_uring(struct stream *stream) { return by_ring(stream, 0); }

static ssize_t by_uring_zerocopy(struct stream *stream) { return by_ring(stream, 1); }

static const struct way {
    const char *name;
    way_step *step;
} ways[] = {{"memory", by_memory},     {"zerocopy", by_zerocopy}, {"uring", by_uring},       {"uring-zc", by_uring_zerocopy},
            {"read", by_read},         {"map", by_map},           {"sendfile", by_sendfile}, {"splice", by_splice}};

static way_step *step;

static void *send_all(void *argument) {
    struct stream *stream = argument;
    while (!over) {
        ssize_t sent = step(stream);
        if (sent < 0) {
            if (errno != EPIPE && errno != ECONNRESET) fail("send");
            break;
        }
        stream->bytes += (unsigned long long)sent;
    }
    if (step == by_zerocopy) reap_zerocopy(stream, 0);
    shutdown(stream->socket, SHUT_WR);
    stream->cpu = thread_cpu();
    return NULL;
}

static void *receive_all(void *argument) {
    struct stream *stream = argument;
    for (;;) {
        ssize_t came = recv(stream->socket, stream->block, block_bytes, MSG_TRUNC);
        if (came <= 0) break;
        stream->bytes += (unsigned long long)came;
    }
    stream->cpu = thread_cpu();
    return NULL;
}

static char *new_block(void) {
    void *memory;
    if (posix_memalign(&memory, 4096, block_bytes) != 0) fail("memory");
    return memset(memory, 0x5a, block_bytes);
}

static void open_sender(struct stream *sender, const char *file) {
    int on = 1;
    sender->block = new_block();
    sender->file = open(file, O_RDONLY | O_CLOEXEC);
    if (sender->file < 0 || pipe2(sender->pipe, O_CLOEXEC) != 0) fail(file);
    fcntl(sender->pipe[1], F_SETPIPE_SZ, (int)block_bytes);
    setsockopt(sender->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (step == by_zerocopy && setsockopt(sender->socket, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof on) != 0) fail("SO_ZEROCOPY");
    if (step == by_uring || step == by_uring_zerocopy) {
        struct iovec registered = {.iov_base = sender->block, .iov_len = block_bytes};
        int opened = io_uring_queue_init(8, &sender->ring, 0);
        if (opened == 0) opened = io_uring_register_buffers(&sender->ring, &registered, 1);
        if (opened < 0) {
            errno = -opened;
            fail("io_uring");
        }
    }
}

static void connect_pair(int listener, const struct sockaddr_in *address, struct stream *sender, struct stream *receiver) {
    sender->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (sender->socket < 0 || connect(sender->socket, (const struct sockaddr *)address, sizeof *address) != 0) fail("connect");
    receiver->socket = accept(listener, NULL, NULL);
    if (receiver->socket < 0) fail("accept");
    receiver->block = new_block();
}

int main(int count, char **words) {
    if (count == 6)
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            if (strcmp(words[1], ways[i].name) == 0) step = ways[i].step;
    int streams = step ? atoi(words[3]) : 0, seconds = step ? atoi(words[5]) : 0;
    block_bytes = step ? strtoul(words[4], NULL, 10) : 0;
    if (streams < 1 || streams > MAX_STREAMS || block_bytes < 1 || seconds < 1) {
        fprintf(stderr, "usage: ways WAY FILE STREAMS BLOCK_BYTES SECONDS\n");
        return 2;
    }
    int file = open(words[2], O_RDONLY | O_CLOEXEC);
    struct stat known;
    if (file < 0 || fstat(file, &known) != 0 || known.st_size == 0) fail(words[2]);
    file_bytes = known.st_size;
    mapped = mmap(NULL, (size_t)file_bytes, PROT_READ, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) fail("mmap");

    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, MAX_STREAMS) != 0) fail("listen");
    getsockname(listener, (struct sockaddr *)&address, &length);

    static struct stream senders[MAX_STREAMS], receivers[MAX_STREAMS];
    for (int i = 0; i < streams; i++) {
        connect_pair(listener, &address, &senders[i], &receivers[i]);
        open_sender(&senders[i], words[2]);
    }
    double begin = now();
    for (int i = 0; i < streams; i++) {
        pthread_create(&receivers[i].thread, NULL, receive_all, &receivers[i]);
        pthread_create(&senders[i].thread, NULL, send_all, &senders[i]);
    }
    sleep((unsigned)seconds);
    over = 1;
    unsigned long long sent = 0, received = 0;
    double sender_cpu = 0, receiver_cpu = 0;
    for (int i = 0; i < streams; i++) {
        pthread_join(senders[i].thread, NULL);
        pthread_join(receivers[i].thread, NULL);
        sent += senders[i].bytes;
        received += receivers[i].bytes;
        sender_cpu += senders[i].cpu;
        receiver_cpu += receivers[i].cpu;
    }
    double gigabytes = (double)received / 1e9;
    printf("{\"bits_per_second\":%.0f,\"sender_cpu_seconds_per_gb\":%.4f,\"receiver_cpu_seconds_per_gb\":%.4f,"
           "\"bytes_sent\":%llu,\"bytes_received\":%llu}\n",
           (double)received * 8 / (now() - begin), sender_cpu / gigabytes, receiver_cpu / gigabytes, sent, received);
    return sent == received ? 0 : 1;
}
