/* What both halves of the library share: handles, errors and the waiting for a descriptor. */
#ifndef FDT_RDMA_NATIVES_H
#define FDT_RDMA_NATIVES_H

#include <jni.h>
#include <stdint.h>

/* A handle is the pointer itself, as DiSNI's classes keep it. */
#define POINTER(type, handle) ((type *)(intptr_t)(handle))
#define HANDLE(pointer) ((jlong)(intptr_t)(pointer))

/* A native of the class whose mangled name is given: many need neither the machine nor the object that they are called on. */
#define FDT_NATIVE(class, owner, type, name, ...) \
    JNIEXPORT type JNICALL Java_##class##name( \
        JNIEnv *env __attribute__((unused)), owner self __attribute__((unused)), ##__VA_ARGS__)

/* Throws java.io.IOException with what failed and the reason that the error number names; returns -1. */
jint fdt_throw(JNIEnv *env, const char *what, int error);

/* The handle of what a call has made; where that is nothing, throws with what failed and errno. */
jlong fdt_made(JNIEnv *env, const char *what, void *object);

/* Makes a descriptor return at once where it would wait. Returns 0 or an error number. */
int fdt_nonblocking(int fd);

/* Waits until the descriptor can be read: 1, or 0 after so many milliseconds; negative waits for ever. */
int fdt_await_readable(int fd, int timeout_ms);

#endif
