// Any call of the kernel: what a general foreign call adds to each of the dozen that a small file needs is a tenth of its copy.
#include <errno.h>
#include <jni.h>
#include <unistd.h>

JNIEXPORT jlong JNICALL Java_io_fdt_core_nativecode_NativeCode_syscall(
    JNIEnv *env, jclass type, jlong number, jlong a, jlong b, jlong c, jlong d, jlong e) {
    (void)type;
    long returned = syscall((long)number, a, b, c, d, e);
    jlong result = returned >= 0 ? returned : -errno;
    // Has the Java Runtime throw what an earlier store into a mapped page has caused, if its page was refused: here, and not
    // later, where nobody expects it.
    (void)(*env)->ExceptionCheck(env);
    return result;
}
