// The functions of the C library that Libc.java declares. Each call stores its errno for the thread, because the Java
// runtime may make its own calls before Java code reads it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <jni.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

// The headers of older distributions lack it. It is the same on every architecture.
#define SYS_GETXATTRAT 464

static _Thread_local int last_errno;

#define AT(address) ((void *)(intptr_t)(address))

// A store into a mapped page whose page could not be provided raises an error in Java. The exception check makes the
// Java runtime throw it here, where it is expected, and not later.
#define LIBC(result, name, call, ...)                                                                        \
    JNIEXPORT result JNICALL Java_io_fdt_core_nativecode_Libc_##name(JNIEnv *env, jclass type __VA_ARGS__) { \
        (void)type;                                                                                          \
        result returned = (result)(call);                                                                    \
        last_errno = errno;                                                                                  \
        (void)(*env)->ExceptionCheck(env);                                                                   \
        return returned;                                                                                     \
    }

LIBC(jint, close, close(fd), , jint fd)
LIBC(jint, fcntl, fcntl(fd, command, (long)argument), , jint fd, jint command, jlong argument)
LIBC(jint, ioctl, ioctl(fd, (unsigned long)request, (long)argument), , jint fd, jlong request, jlong argument)
LIBC(jlong, read, read(fd, AT(address), (size_t)length), , jint fd, jlong address, jlong length)
LIBC(jlong, write, write(fd, AT(address), (size_t)length), , jint fd, jlong address, jlong length)
LIBC(jlong, lseek, lseek(fd, offset, whence), , jint fd, jlong offset, jint whence)
LIBC(jint, ftruncate, ftruncate(fd, bytes), , jint fd, jlong bytes)
LIBC(jint, fallocate, fallocate(fd, mode, offset, length), , jint fd, jint mode, jlong offset, jlong length)
LIBC(jint, fdatasync, fdatasync(fd), , jint fd)
LIBC(jint, fsync, fsync(fd), , jint fd)
LIBC(jint, syncfs, syncfs(fd), , jint fd)
LIBC(jint, fstatvfs, fstatvfs(fd, AT(address)), , jint fd, jlong address)

LIBC(jint, mkdirat, mkdirat(dir, AT(path), (mode_t)mode), , jint dir, jlong path, jint mode)
LIBC(jint, unlinkat, unlinkat(dir, AT(path), flags), , jint dir, jlong path, jint flags)
LIBC(jint, symlinkat, symlinkat(AT(target), dir, AT(path)), , jlong target, jint dir, jlong path)
LIBC(jint, linkat, linkat(from_dir, AT(from), to_dir, AT(to), flags), ,
     jint from_dir, jlong from, jint to_dir, jlong to, jint flags)
LIBC(jlong, readlinkat, readlinkat(dir, AT(path), AT(address), (size_t)length), ,
     jint dir, jlong path, jlong address, jlong length)
LIBC(jint, faccessat, faccessat(dir, AT(path), wanted, flags), , jint dir, jlong path, jint wanted, jint flags)
LIBC(jint, fchmodat, fchmodat(dir, AT(path), (mode_t)mode, flags), , jint dir, jlong path, jint mode, jint flags)
LIBC(jint, fchownat, fchownat(dir, AT(path), (uid_t)uid, (gid_t)gid, flags), ,
     jint dir, jlong path, jint uid, jint gid, jint flags)
LIBC(jint, utimensat, utimensat(dir, AT(path), AT(times), flags), , jint dir, jlong path, jlong times, jint flags)
LIBC(jlong, listxattr, listxattr(AT(path), AT(address), (size_t)length), , jlong path, jlong address, jlong length)
LIBC(jlong, llistxattr, llistxattr(AT(path), AT(address), (size_t)length), , jlong path, jlong address, jlong length)
LIBC(jlong, getxattr, getxattr(AT(path), AT(name), AT(address), (size_t)length), ,
     jlong path, jlong name, jlong address, jlong length)
LIBC(jlong, lgetxattr, lgetxattr(AT(path), AT(name), AT(address), (size_t)length), ,
     jlong path, jlong name, jlong address, jlong length)
LIBC(jlong, getxattrat,
     syscall(SYS_GETXATTRAT, dir, AT(path), flags, AT(name), AT(arguments), (size_t)length), ,
     jint dir, jlong path, jint flags, jlong name, jlong arguments, jlong length)
LIBC(jint, setxattr, setxattr(AT(path), AT(name), AT(address), (size_t)length, flags), ,
     jlong path, jlong name, jlong address, jlong length, jint flags)

LIBC(jint, socket, socket(domain, kind, protocol), , jint domain, jint kind, jint protocol)
LIBC(jint, bind, bind(fd, AT(address), (socklen_t)length), , jint fd, jlong address, jint length)
LIBC(jint, listen, listen(fd, backlog), , jint fd, jint backlog)
LIBC(jint, accept4, accept4(fd, AT(address), AT(length), flags), , jint fd, jlong address, jlong length, jint flags)
LIBC(jint, connect, connect(fd, AT(address), (socklen_t)length), , jint fd, jlong address, jint length)
LIBC(jint, shutdown, shutdown(fd, how), , jint fd, jint how)
LIBC(jint, setsockopt, setsockopt(fd, level, option, AT(value), (socklen_t)length), ,
     jint fd, jint level, jint option, jlong value, jint length)
LIBC(jint, getsockopt, getsockopt(fd, level, option, AT(value), AT(length)), ,
     jint fd, jint level, jint option, jlong value, jlong length)
LIBC(jlong, send, send(fd, AT(address), (size_t)length, flags), , jint fd, jlong address, jlong length, jint flags)
LIBC(jlong, sendto, sendto(fd, AT(address), (size_t)length, flags, AT(to), (socklen_t)to_length), ,
     jint fd, jlong address, jlong length, jint flags, jlong to, jint to_length)
LIBC(jlong, recv, recv(fd, AT(address), (size_t)length, flags), , jint fd, jlong address, jlong length, jint flags)
LIBC(jlong, sendmsg, sendmsg(fd, AT(message), flags), , jint fd, jlong message, jint flags)
LIBC(jlong, recvmsg, recvmsg(fd, AT(message), flags), , jint fd, jlong message, jint flags)

LIBC(jlong, mmap, (intptr_t)mmap(AT(address), (size_t)length, protection, flags, fd, offset), ,
     jlong address, jlong length, jint protection, jint flags, jint fd, jlong offset)
LIBC(jint, madvise, madvise(AT(address), (size_t)length, advice), , jlong address, jlong length, jint advice)
LIBC(jint, munmap, munmap(AT(address), (size_t)length), , jlong address, jlong length)
LIBC(jint, memcmp, memcmp(AT(left), AT(right), (size_t)length), , jlong left, jlong right, jlong length)
LIBC(jlong, memcpy, (intptr_t)memcpy(AT(to), AT(from), (size_t)length), , jlong to, jlong from, jlong length)
LIBC(jlong, memset, (intptr_t)memset(AT(address), value, (size_t)length), , jlong address, jint value, jlong length)

LIBC(jint, eventfd, eventfd((unsigned)initial, flags), , jint initial, jint flags)
LIBC(jint, poll, poll(AT(descriptors), (nfds_t)count, timeout), , jlong descriptors, jlong count, jint timeout)
LIBC(jint, geteuid, geteuid(), )
LIBC(jint, getrlimit, getrlimit(resource, AT(address)), , jint resource, jlong address)
LIBC(jlong, syscall, syscall((long)number, a, b, c, d, e), , jlong number, jlong a, jlong b, jlong c, jlong d, jlong e)
LIBC(jint, posix_1fadvise, posix_fadvise(fd, offset, length, advice), ,
     jint fd, jlong offset, jlong length, jint advice)
LIBC(jint, sched_1getcpu, sched_getcpu(), )
LIBC(jint, sched_1getaffinity, sched_getaffinity(thread, (size_t)length, AT(mask)), ,
     jint thread, jlong length, jlong mask)
LIBC(jint, sched_1setaffinity, sched_setaffinity(thread, (size_t)length, AT(mask)), ,
     jint thread, jlong length, jlong mask)

JNIEXPORT void JNICALL Java_io_fdt_core_nativecode_Libc_sync(JNIEnv *env, jclass type) {
    (void)env;
    (void)type;
    sync();
}

JNIEXPORT jstring JNICALL Java_io_fdt_core_nativecode_Libc_strerror(JNIEnv *env, jclass type, jint error) {
    (void)type;
    return (*env)->NewStringUTF(env, strerror(error));
}

JNIEXPORT jint JNICALL Java_io_fdt_core_nativecode_NativeCode_errno(JNIEnv *env, jclass type) {
    (void)env;
    (void)type;
    return last_errno;
}

JNIEXPORT jlong JNICALL Java_io_fdt_core_nativecode_NativeCode_addressOf(JNIEnv *env, jclass type, jobject direct) {
    (void)type;
    return (jlong)(intptr_t)(*env)->GetDirectBufferAddress(env, direct);
}

JNIEXPORT jobject JNICALL Java_io_fdt_core_nativecode_NativeCode_bufferAt(
    JNIEnv *env, jclass type, jlong address, jlong bytes) {
    (void)type;
    return (*env)->NewDirectByteBuffer(env, AT(address), bytes);
}
