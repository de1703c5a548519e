/* Shared by all parts of the library: handles, errors and waiting for a descriptor. */
#ifndef FDT_RDMA_NATIVES_H
#define FDT_RDMA_NATIVES_H

#include <jni.h>
#include <stdint.h>

/* A handle is the pointer itself, as in DiSNI's classes. */
#define POINTER(type, handle) ((type *)(intptr_t)(handle))
#define HANDLE(pointer) ((jlong)(intptr_t)(pointer))

/* Declares a native method of the class with the given mangled name. Many methods use neither the JNI environment nor
 * the object or class. */
#define FDT_NATIVE(class, owner, type, name, ...) \
    JNIEXPORT type JNICALL Java_##class##name( \
        JNIEnv *env __attribute__((unused)), owner self __attribute__((unused)), ##__VA_ARGS__)

/* Throws java.io.IOException with the failed operation and the reason for the error number. Returns -1. */
jint fdt_throw(JNIEnv *env, const char *what, int error);

/* Returns the handle of an object that a call has created. For NULL, throws with the failed operation and errno. */
jlong fdt_made(JNIEnv *env, const char *what, void *object);

/* Makes a descriptor non-blocking. Returns 0 or an error number. */
int fdt_nonblocking(int fd);

/* Waits until the descriptor is readable. Returns 1, or 0 after the timeout. A negative timeout waits forever. */
int fdt_await_readable(int fd, int timeout_ms);

#endif
