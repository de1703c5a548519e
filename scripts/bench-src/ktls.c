// Sends a file over loopback in TLS records, encrypted by OpenSSL in the process or by the kernel, or in clear, to
// compare the costs. One thread at each end, blocking calls, AES-128-GCM of TLS 1.3 with keys that both ends have. The
// receiver decrypts and copies out. Needs a kernel with TLS (modprobe tls), such as that of the lab:
//
//   cc -O2 -pthread -o ktls ktls.c -lcrypto
//   scripts/lab run -- sh -c 'modprobe tls; ./ktls WAY FILE BLOCK_BYTES SECONDS'
//
//   clear      pread and send                   clear-sendfile     from the file into the socket
//   user       pread, records by OpenSSL, send  kernel             pread, and records by the kernel in send
//                                               kernel-sendfile    from the file into the socket, records by the kernel
//
// The stream sends the whole file from the start, repeatedly. Prints one JSON line.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/tls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HEADER_BYTES = 5, TAG_BYTES = 16, PLAIN_BYTES = 16384, APPLICATION_DATA = 23 };
enum { RECORD_BYTES = HEADER_BYTES + PLAIN_BYTES + 1 + TAG_BYTES };

static const unsigned char key[16] = "a key of the two";
static size_t block_bytes;
static off_t file_bytes, at;
static int file, sending, receiving, by_user, by_kernel, by_sendfile;
static unsigned long long sent, received;
static double sender_cpu, receiver_cpu;
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

static void use_kernel_tls(int socket, int direction) {
    struct tls12_crypto_info_aes_gcm_128 how = {
        .info = {.version = TLS_1_3_VERSION, .cipher_type = TLS_CIPHER_AES_GCM_128},
    };
    memcpy(how.key, key, sizeof how.key);
    if (setsockopt(socket, SOL_TCP, TCP_ULP, "tls", sizeof "tls") != 0) fail("TCP_ULP");
    if (setsockopt(socket, SOL_TLS, direction, &how, sizeof how) != 0) fail("kernel TLS");
}

// The nonce of TLS 1.3: the record number in the last bytes.
static void nonce_of(unsigned long long record, unsigned char *nonce) {
    memset(nonce, 0, 12);
    for (int i = 0; i < 8; i++) nonce[11 - i] = (unsigned char)(record >> 8 * i);
}

static void write_header(unsigned char *header, size_t body_bytes) {
    header[0] = APPLICATION_DATA, header[1] = header[2] = 3;
    header[3] = (unsigned char)(body_bytes >> 8), header[4] = (unsigned char)body_bytes;
}

static void check(int done) {
    if (done != 1) errno = EBADMSG, fail("OpenSSL");
}

static size_t seal(EVP_CIPHER_CTX *cipher, unsigned long long number, const unsigned char *plain, size_t length,
                   unsigned char *record) {
    static const unsigned char type = APPLICATION_DATA;
    unsigned char nonce[12];
    int done;
    nonce_of(number, nonce);
    write_header(record, length + 1 + TAG_BYTES);
    check(EVP_EncryptInit_ex(cipher, NULL, NULL, NULL, nonce));
    check(EVP_EncryptUpdate(cipher, NULL, &done, record, HEADER_BYTES));
    check(EVP_EncryptUpdate(cipher, record + HEADER_BYTES, &done, plain, (int)length));
    check(EVP_EncryptUpdate(cipher, record + HEADER_BYTES + length, &done, &type, 1));
    check(EVP_EncryptFinal_ex(cipher, record + HEADER_BYTES + length + 1, &done));
    check(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, record + HEADER_BYTES + length + 1));
    return HEADER_BYTES + length + 1 + TAG_BYTES;
}

// Decrypts a record. Returns the length of the plaintext.
static size_t open_record(EVP_CIPHER_CTX *cipher, unsigned long long number, unsigned char *record, size_t body_bytes,
                          unsigned char *plain) {
    unsigned char nonce[12];
    int done;
    nonce_of(number, nonce);
    check(EVP_DecryptInit_ex(cipher, NULL, NULL, NULL, nonce));
    check(EVP_DecryptUpdate(cipher, NULL, &done, record, HEADER_BYTES));
    check(EVP_DecryptUpdate(cipher, plain, &done, record + HEADER_BYTES, (int)(body_bytes - TAG_BYTES)));
    unsigned char *tag = record + HEADER_BYTES + body_bytes - TAG_BYTES;
    check(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, tag));
    check(EVP_DecryptFinal_ex(cipher, plain + done, &done));
    return body_bytes - TAG_BYTES - 1;
}

static void send_whole(const unsigned char *bytes, size_t length) {
    while (length > 0) {
        ssize_t took = send(sending, bytes, length, MSG_NOSIGNAL);
        if (took < 0) fail("send");
        bytes += took, length -= (size_t)took;
    }
}

static void *send_all(void *unused) {
    unsigned char *block = malloc(block_bytes), *records = malloc((block_bytes / PLAIN_BYTES + 1) * RECORD_BYTES);
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    check(EVP_EncryptInit_ex(cipher, EVP_aes_128_gcm(), NULL, key, NULL));
    for (unsigned long long number = 0; !over;) {
        if (at >= file_bytes) at = 0;
        size_t length = (size_t)(file_bytes - at) < block_bytes ? (size_t)(file_bytes - at) : block_bytes;
        if (by_sendfile) {
            ssize_t took = sendfile(sending, file, &at, length);
            if (took < 0) fail("sendfile");
            sent += (unsigned long long)took;
            continue;
        }
        if (pread(file, block, length, at) != (ssize_t)length) fail("pread");
        at += (off_t)length, sent += length;
        if (!by_user) {
            send_whole(block, length);
            continue;
        }
        size_t sealed = 0;
        for (size_t from = 0; from < length; from += PLAIN_BYTES) {
            size_t part = length - from < PLAIN_BYTES ? length - from : PLAIN_BYTES;
            sealed += seal(cipher, number++, block + from, part, records + sealed);
        }
        send_whole(records, sealed);
    }
    shutdown(sending, SHUT_WR);
    sender_cpu = thread_cpu();
    return unused;
}

static void *receive_all(void *unused) {
    unsigned char *bytes = malloc(block_bytes + RECORD_BYTES), plain[PLAIN_BYTES + 1];
    size_t filled = 0;
    unsigned long long number = 0;
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    check(EVP_DecryptInit_ex(cipher, EVP_aes_128_gcm(), NULL, key, NULL));
    for (;;) {
        ssize_t came = recv(receiving, bytes + filled, block_bytes, 0);
        if (came < 0) fail("recv");
        if (came == 0) break;
        if (!by_user) {
            received += (unsigned long long)came;
            continue;
        }
        filled += (size_t)came;
        size_t used = 0;
        while (filled - used >= HEADER_BYTES) {
            size_t body = (size_t)bytes[used + 3] << 8 | bytes[used + 4];
            if (filled - used < HEADER_BYTES + body) break;
            received += open_record(cipher, number++, bytes + used, body, plain);
            used += HEADER_BYTES + body;
        }
        memmove(bytes, bytes + used, filled -= used);
    }
    receiver_cpu = thread_cpu();
    return unused;
}

int main(int count, char **words) {
    int known = 0, seconds = 0;
    if (count == 5) {
        by_user = strcmp(words[1], "user") == 0;
        by_kernel = strncmp(words[1], "kernel", 6) == 0;
        by_sendfile = strstr(words[1], "-sendfile") != NULL;
        known = by_user || by_kernel || strncmp(words[1], "clear", 5) == 0;
        block_bytes = strtoul(words[3], NULL, 10), seconds = atoi(words[4]);
    }
    if (!known || block_bytes < 1 || seconds < 1) {
        fprintf(stderr, "usage: ktls WAY FILE BLOCK_BYTES SECONDS\n");
        return 2;
    }
    file = open(words[2], O_RDONLY | O_CLOEXEC);
    struct stat stat;
    if (file < 0 || fstat(file, &stat) != 0 || (file_bytes = stat.st_size) == 0) fail(words[2]);

    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1) != 0) fail("listen");
    getsockname(listener, (struct sockaddr *)&address, &length);
    sending = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(sending, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
    receiving = accept(listener, NULL, NULL);
    if (by_kernel) use_kernel_tls(sending, TLS_TX), use_kernel_tls(receiving, TLS_RX);

    pthread_t sender, receiver;
    double begin = now();
    pthread_create(&receiver, NULL, receive_all, NULL);
    pthread_create(&sender, NULL, send_all, NULL);
    sleep((unsigned)seconds);
    over = 1;
    pthread_join(sender, NULL);
    pthread_join(receiver, NULL);
    double gigabytes = (double)received / 1e9;
    printf("{\"way\":\"%s\",\"bits_per_second\":%.0f,\"sender_cpu_seconds_per_gb\":%.4f,"
           "\"receiver_cpu_seconds_per_gb\":%.4f,\"bytes_sent\":%llu,\"bytes_received\":%llu}\n",
           words[1], (double)received * 8 / (now() - begin), sender_cpu / gigabytes, receiver_cpu / gigabytes, sent,
           received);
    return sent == received ? 0 : 1;
}
