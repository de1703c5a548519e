/* What both halves of the library share: handles, errors and the waiting for a descriptor. */
#ifndef FDT_RDMA_NATIVES_H
#define FDT_RDMA_NATIVES_H

#include <jni.h>
#include <stdint.h>

/* A handle is the pointer itself, as DiSNI's classes keep it. */
#define POINTER(type, handle) ((type *)(intptr_t)(handle))
#define HANDLE(pointer) ((jlong)(intptr_t)(pointer))

/* Throws java.io.IOException with what failed and the reason that the error number names; returns -1. */
jint fdt_throw(JNIEnv *env, const char *what, int error);

/* Makes a descriptor return at once where it would wait. Returns 0 or an error number. */
int fdt_nonblocking(int fd);

/* Waits until the descriptor can be read: 1, or 0 after so many milliseconds; negative waits for ever. */
int fdt_await_readable(int fd, int timeout_ms);

#endif
