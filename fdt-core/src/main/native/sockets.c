// Calls for a lane's thread that owns its socket directly.
#include <errno.h>
#include <jni.h>
#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>

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
    return found <= 0 ? result(found) : room.revents == POLLOUT;
}
