// Calls for a lane's thread that owns its socket directly.
#include <errno.h>
#include <jni.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/errqueue.h>

static jint result(ssize_t returned) {
    return returned >= 0 ? (jint)returned : -errno;
}

static void pause_briefly(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

JNIEXPORT jint JNICALL Java_io_fdt_core_nativecode_NativeCode_receivePolling(
    JNIEnv *env, jclass type, jint fd, jlong address, jint length, jint times) {
    (void)env;
    (void)type;
    for (jint polls = 1;; polls++) {
        ssize_t received = recv(fd, (void *)(intptr_t)address, (size_t)length, MSG_DONTWAIT);
        if (received >= 0 || errno != EAGAIN || polls >= times) {
            return result(received);
        }
        pause_briefly();
    }
}

JNIEXPORT jint JNICALL Java_io_fdt_core_nativecode_NativeCode_awaitRoom(JNIEnv *env, jclass type, jint fd, jint patience_ms) {
    (void)env;
    (void)type;
    struct pollfd room = {.fd = fd, .events = POLLOUT | POLLIN};
    int found = poll(&room, 1, patience_ms);
    if (found <= 0) {
        return result(found);
    }
    return room.revents & ~(POLLOUT | POLLERR) ? 0 : room.revents == POLLOUT ? 1 : 2;
}

// Returns whether the message from the error queue is about sends whose memory the kernel has stopped reading.
static int is_notice(struct msghdr *message, struct sock_extended_err *error) {
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        if ((part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_RECVERR) ||
            (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_RECVERR)) {
            memcpy(error, CMSG_DATA(part), sizeof *error);
            return error->ee_errno == 0 && error->ee_origin == SO_EE_ORIGIN_ZEROCOPY;
        }
    }
    return 0;
}

JNIEXPORT jint JNICALL Java_io_fdt_core_nativecode_NativeCode_sentInPlace(
    JNIEnv *env, jclass type, jint fd, jlong address, jint room) {
    (void)env;
    (void)type;
    uint32_t *out = (uint32_t *)(intptr_t)address;
    jint count = 0;
    while (count < room) {
        union {
            struct cmsghdr aligned;
            char bytes[256];
        } control;
        struct msghdr message = {.msg_control = &control, .msg_controllen = sizeof control};
        if (recvmsg(fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) {
            if (errno == EINTR) {
                continue;
            }
            break;
        }
        struct sock_extended_err error;
        if (is_notice(&message, &error)) {
            *out++ = error.ee_info;
            *out++ = error.ee_data;
            *out++ = (error.ee_code & SO_EE_CODE_ZEROCOPY_COPIED) != 0;
            count++;
        }
    }
    return count;
}
