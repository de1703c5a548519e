// Loaded before the C library (LD_PRELOAD). Makes a call on a file below a directory fail, and records all such calls.
// A call is identified by its name, its path relative to that directory, and the number of equal calls before it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <jni.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define SYS_GETXATTRAT 464
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

enum { PATH_BYTES = 4096 + 256, LOG_BYTES = 4 << 20, SHORT = -1 };

// Which call fails: the n-th occurrence of the armed one, or every one if n is negative. FaultOrders.java has the same
// fields in this order.
struct orders {
    int listening;
    int armed_at;
    int armed_error;
    int met;
    int fired;
    char place[PATH_BYTES];
    char armed[PATH_BYTES + 32];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct orders own;
static volatile struct orders *orders = &own;
static char log_text[LOG_BYTES];
static size_t log_length;

static const char *place(void) { return (const char *)orders->place; }

// Starts recording. The n-th occurrence of the armed call fails with the error, or does only half of its work.
static void begin(const char *directory, const char *call, int at, int error) {
    pthread_mutex_lock(&lock);
    snprintf(own.place, sizeof own.place, "%s", directory);
    snprintf(own.armed, sizeof own.armed, "%s", call);
    own.armed_at = at;
    own.armed_error = error;
    own.met = 0;
    own.fired = 0;
    log_length = 0;
    log_text[0] = 0;
    own.listening = 1;
    pthread_mutex_unlock(&lock);
}

JNIEXPORT void JNICALL Java_io_fdt_core_faults_WatchedCalls_begin(
    JNIEnv *env, jclass type, jstring directory, jstring call, jint at, jint error) {
    (void)type;
    const char *directory_text = (*env)->GetStringUTFChars(env, directory, NULL);
    const char *call_text = (*env)->GetStringUTFChars(env, call, NULL);
    begin(directory_text, call_text, at, error);
    (*env)->ReleaseStringUTFChars(env, directory, directory_text);
    (*env)->ReleaseStringUTFChars(env, call, call_text);
}

// Stops recording. Returns whether the armed call has failed.
JNIEXPORT jboolean JNICALL Java_io_fdt_core_faults_WatchedCalls_end(JNIEnv *env, jobject calls) {
    (void)env;
    (void)calls;
    orders->listening = 0;
    return orders->fired ? JNI_TRUE : JNI_FALSE;
}

// Returns one line for each call: name, path, inode of the file, inode of its directory, result, second path.
JNIEXPORT jstring JNICALL Java_io_fdt_core_faults_WatchedCalls_text(JNIEnv *env, jclass type) {
    (void)type;
    return (*env)->NewStringUTF(env, log_text);
}

static long (*real_syscall(void))(long, ...) {
    static long (*real)(long, ...);
    if (!real) {
        real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    }
    return real;
}

#define RAW (real_syscall())

// A process that FAULT_ORDERS names a file to shares its orders with the test, in that file.
__attribute__((constructor)) static void share_orders(void) {
    const char *path = getenv("FAULT_ORDERS");
    int fd = path ? (int)RAW(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    if (fd >= 0) {
        long shared = RAW(SYS_mmap, NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        RAW(SYS_close, fd);
        if (shared > 0) {
            orders = (struct orders *)shared;
        }
    }
}

static int path_of_fd(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long length = RAW(SYS_readlinkat, AT_FDCWD, link, path, PATH_BYTES - 1);
    if (length < 0) {
        return 0;
    }
    path[length] = 0;
    char *deleted = strstr(path, " (deleted)");
    if (deleted) {
        *deleted = 0;
    }
    return path[0] == '/';
}

static int full_path(int dir, const char *name, char *path) {
    int fd = -1;
    int after = 0;
    if (name && sscanf(name, "/proc/self/fd/%d%n", &fd, &after) == 1) {
        return path_of_fd(fd, path) && (strncat(path, name + after, PATH_BYTES - 1 - strlen(path)), 1);
    }
    if (name && name[0] == '/') {
        snprintf(path, PATH_BYTES, "%s", name);
        return 1;
    }
    if (dir == AT_FDCWD || !path_of_fd(dir, path)) {
        return 0;
    }
    if (name && name[0] && strcmp(name, ".") != 0) {
        strncat(path, "/", PATH_BYTES - 1 - strlen(path));
        strncat(path, name, PATH_BYTES - 1 - strlen(path));
    }
    return 1;
}

// Returns the path relative to the watched directory, "." for the directory itself, or null for an unrelated path.
// Returns the full path of a parent of the directory.
static const char *concerned(const char *path) {
    size_t length = strlen(path), place_length = strlen(place());
    if (strncmp(path, place(), place_length) == 0 && (path[place_length] == '/' || path[place_length] == 0)) {
        return path[place_length] ? path + place_length + 1 : ".";
    }
    if (length < place_length && strncmp(path, place(), length) == 0 && (place()[length] == '/' || length == 1)) {
        return path;
    }
    return NULL;
}

// A call in progress.
struct call {
    int watched;
    int error;
    const char *name;
    char path[PATH_BYTES];
    char second[PATH_BYTES];
    unsigned long long inode, parent;
};

static unsigned long long inode_of(const char *path) {
    struct stat now;
    return RAW(SYS_newfstatat, AT_FDCWD, path, &now, AT_SYMLINK_NOFOLLOW) == 0 ? (unsigned long long)now.st_ino : 0;
}

// Prepares a watched call on (dir, name). A null name means the descriptor itself.
static void enter(struct call *call, const char *what, int dir, const char *name) {
    call->watched = 0;
    call->error = 0;
    call->second[0] = 0;
    if (!orders->listening) {
        return;
    }
    int before = errno;
    char path[PATH_BYTES];
    const char *below;
    if (full_path(dir, name, path) && (below = concerned(path))) {
        call->watched = 1;
        call->name = what;
        snprintf(call->path, sizeof call->path, "%s", below);
        struct stat held;
        call->inode = !name && RAW(SYS_fstat, dir, &held) == 0 ? (unsigned long long)held.st_ino : inode_of(path);
        char *slash = strrchr(path, '/');
        if (slash && slash != path) {
            *slash = 0;
        }
        call->parent = inode_of(path);
        char key[PATH_BYTES + 32];
        snprintf(key, sizeof key, "%s %s", what, call->path);
        pthread_mutex_lock(&lock);
        int at = orders->armed_at;
        if (at && fnmatch((const char *)orders->armed, key, 0) == 0 && (++orders->met == at || at < 0)) {
            call->error = orders->armed_error;
            orders->fired = 1;
        }
        pthread_mutex_unlock(&lock);
    }
    errno = before;
}

static void leave(const struct call *call, long result, int error) {
    if (!call->watched) {
        return;
    }
    pthread_mutex_lock(&lock);
    if (log_length < LOG_BYTES - sizeof *call) {
        log_length += (size_t)sprintf(log_text + log_length, "%s\t%s\t%llu\t%llu\t%ld\t%s\n", call->name, call->path,
            call->inode, call->parent, result < 0 ? -(long)error : result, call->second);
    }
    pthread_mutex_unlock(&lock);
}

// ACT is the real call. A call that should fail is not made, unless EVEN_SO is true, which means that it takes effect
// nevertheless.
#define WATCHED(type, what, dir, name, act, even_so)                                                \
    struct call watched;                                                                            \
    enter(&watched, what, dir, name);                                                               \
    type outcome;                                                                                   \
    if (watched.error > 0) {                                                                        \
        if (even_so) {                                                                              \
            (void)(act);                                                                            \
        }                                                                                           \
        errno = watched.error;                                                                      \
        outcome = (type)-1;                                                                         \
    } else {                                                                                        \
        outcome = (act);                                                                            \
    }                                                                                               \
    int error_now = errno;                                                                          \
    leave(&watched, (long)outcome, error_now);                                                      \
    errno = error_now;                                                                              \
    return outcome;

#define LENGTH(length) (watched.error == SHORT && (length) > 1 ? (length) / 2 : (length))

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

int close(int fd) { WATCHED(int, "close", fd, NULL, (int)RAW(SYS_close, fd), 1) }
ssize_t read(int fd, void *to, size_t length) {
    WATCHED(ssize_t, "read", fd, NULL, RAW(SYS_read, fd, to, LENGTH(length)), 0)
}
ssize_t write(int fd, const void *from, size_t length) {
    WATCHED(ssize_t, "write", fd, NULL, RAW(SYS_write, fd, from, LENGTH(length)), 0)
}
ssize_t pread(int fd, void *to, size_t length, off_t at) {
    WATCHED(ssize_t, "pread", fd, NULL, RAW(SYS_pread64, fd, to, LENGTH(length), at), 0)
}
ssize_t pread64(int fd, void *to, size_t length, off_t at) { return pread(fd, to, length, at); }
ssize_t pwrite(int fd, const void *from, size_t length, off_t at) {
    WATCHED(ssize_t, "pwrite", fd, NULL, RAW(SYS_pwrite64, fd, from, LENGTH(length), at), 0)
}
ssize_t pwrite64(int fd, const void *from, size_t length, off_t at) { return pwrite(fd, from, length, at); }
off_t lseek(int fd, off_t at, int whence) { WATCHED(off_t, "lseek", fd, NULL, RAW(SYS_lseek, fd, at, whence), 0) }
off_t lseek64(int fd, off_t at, int whence) { return lseek(fd, at, whence); }
int ftruncate(int fd, off_t bytes) { WATCHED(int, "ftruncate", fd, NULL, (int)RAW(SYS_ftruncate, fd, bytes), 0) }
int ftruncate64(int fd, off_t bytes) { return ftruncate(fd, bytes); }
int fallocate(int fd, int mode, off_t at, off_t length) {
    WATCHED(int, "fallocate", fd, NULL, (int)RAW(SYS_fallocate, fd, mode, at, length), 0)
}
int fallocate64(int fd, int mode, off_t at, off_t length) { return fallocate(fd, mode, at, length); }
int fdatasync(int fd) { WATCHED(int, "fdatasync", fd, NULL, (int)RAW(SYS_fdatasync, fd), 0) }
int fsync(int fd) { WATCHED(int, "fsync", fd, NULL, (int)RAW(SYS_fsync, fd), 0) }
int syncfs(int fd) { WATCHED(int, "syncfs", fd, NULL, (int)RAW(SYS_syncfs, fd), 0) }
void sync(void) {
    struct call watched;
    enter(&watched, "sync", AT_FDCWD, place());
    RAW(SYS_sync);
    leave(&watched, 0, 0);
}
int fstatvfs(int fd, struct statvfs *to) { WATCHED(int, "fstatvfs", fd, NULL, REAL(fstatvfs)(fd, to), 0) }
int fstatvfs64(int fd, struct statvfs64 *to) { WATCHED(int, "fstatvfs", fd, NULL, REAL(fstatvfs64)(fd, to), 0) }
int fstat(int fd, struct stat *to) { WATCHED(int, "fstat", fd, NULL, (int)RAW(SYS_fstat, fd, to), 0) }
int fstat64(int fd, struct stat64 *to) { WATCHED(int, "fstat", fd, NULL, (int)RAW(SYS_fstat, fd, to), 0) }
int stat(const char *path, struct stat *to) {
    WATCHED(int, "stat", AT_FDCWD, path, (int)RAW(SYS_newfstatat, AT_FDCWD, path, to, 0), 0)
}
int stat64(const char *path, struct stat64 *to) { return stat(path, (struct stat *)to); }
int lstat(const char *path, struct stat *to) {
    WATCHED(int, "lstat", AT_FDCWD, path, (int)RAW(SYS_newfstatat, AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW), 0)
}
int lstat64(const char *path, struct stat64 *to) { return lstat(path, (struct stat *)to); }
int statx(int dir, const char *path, int flags, unsigned mask, struct statx *to) {
    WATCHED(int, "statx", dir, path && path[0] ? path : NULL, (int)RAW(SYS_statx, dir, path, flags, mask, to), 0)
}
int mkdirat(int dir, const char *path, mode_t mode) {
    WATCHED(int, "mkdirat", dir, path, (int)RAW(SYS_mkdirat, dir, path, mode), 0)
}
int unlinkat(int dir, const char *path, int flags) {
    WATCHED(int, "unlinkat", dir, path, (int)RAW(SYS_unlinkat, dir, path, flags), 0)
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int symlinkat(const char *target, int dir, const char *path) {
    WATCHED(int, "symlinkat", dir, path, (int)RAW(SYS_symlinkat, target, dir, path), 0)
}
int linkat(int from_dir, const char *from, int dir, const char *path, int flags) {
    WATCHED(int, "linkat", dir, path, (int)RAW(SYS_linkat, from_dir, from, dir, path, flags), 0)
}
ssize_t readlinkat(int dir, const char *path, char *to, size_t length) {
    WATCHED(ssize_t, "readlinkat", dir, path, RAW(SYS_readlinkat, dir, path, to, length), 0)
}
int faccessat(int dir, const char *path, int wanted, int flags) {
    WATCHED(int, "faccessat", dir, path, REAL(faccessat)(dir, path, wanted, flags), 0)
}
int fchmodat(int dir, const char *path, mode_t mode, int flags) {
    WATCHED(int, "fchmodat", dir, path, REAL(fchmodat)(dir, path, mode, flags), 0)
}
int fchownat(int dir, const char *path, uid_t uid, gid_t gid, int flags) {
    WATCHED(int, "fchownat", dir, path && path[0] ? path : NULL, (int)RAW(SYS_fchownat, dir, path, uid, gid, flags), 0)
}
int utimensat(int dir, const char *path, const struct timespec times[2], int flags) {
    WATCHED(int, "utimensat", dir, path, (int)RAW(SYS_utimensat, dir, path, times, flags), 0)
}
ssize_t listxattr(const char *path, char *to, size_t length) {
    WATCHED(ssize_t, "listxattr", AT_FDCWD, path, RAW(SYS_listxattr, path, to, length), 0)
}
ssize_t llistxattr(const char *path, char *to, size_t length) {
    WATCHED(ssize_t, "listxattr", AT_FDCWD, path, RAW(SYS_llistxattr, path, to, length), 0)
}
ssize_t getxattr(const char *path, const char *name, void *to, size_t length) {
    WATCHED(ssize_t, "getxattr", AT_FDCWD, path, RAW(SYS_getxattr, path, name, to, length), 0)
}
ssize_t lgetxattr(const char *path, const char *name, void *to, size_t length) {
    WATCHED(ssize_t, "getxattr", AT_FDCWD, path, RAW(SYS_lgetxattr, path, name, to, length), 0)
}
int setxattr(const char *path, const char *name, const void *value, size_t length, int flags) {
    WATCHED(int, "setxattr", AT_FDCWD, path, (int)RAW(SYS_setxattr, path, name, value, length, flags), 0)
}
void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset) {
    if (fd < 0) {
        return (void *)RAW(SYS_mmap, at, length, protection, flags, fd, offset);
    }
    WATCHED(void *, "mmap", fd, NULL, (void *)RAW(SYS_mmap, at, length, protection, flags, fd, offset), 0)
}
void *mmap64(void *at, size_t length, int protection, int flags, int fd, off_t offset) {
    return mmap(at, length, protection, flags, fd, offset);
}
int fcntl(int fd, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    long argument = va_arg(arguments, long);
    va_end(arguments);
    if (command == F_DUPFD_CLOEXEC) {
        WATCHED(int, "dup", fd, NULL, (int)RAW(SYS_fcntl, fd, command, argument), 0)
    }
    if (command == F_OFD_SETLK) {
        WATCHED(int, "lock", fd, NULL, (int)RAW(SYS_fcntl, fd, command, argument), 0)
    }
    return (int)RAW(SYS_fcntl, fd, command, argument);
}
int fcntl64(int fd, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    long argument = va_arg(arguments, long);
    va_end(arguments);
    return fcntl(fd, command, argument);
}

static const char *name_of_open(uint64_t flags) {
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? "create" : "open";
}

static int opening(int dir, const char *path, int flags, unsigned mode) {
    WATCHED(int, name_of_open((unsigned)flags), dir, path, (int)RAW(SYS_openat, dir, path, flags, mode), 0)
}
int openat(int dir, const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = va_arg(arguments, unsigned);
    va_end(arguments);
    return opening(dir, path, flags, mode);
}
int openat64(int dir, const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = va_arg(arguments, unsigned);
    va_end(arguments);
    return opening(dir, path, flags, mode);
}
int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = va_arg(arguments, unsigned);
    va_end(arguments);
    return opening(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = va_arg(arguments, unsigned);
    va_end(arguments);
    return opening(AT_FDCWD, path, flags, mode);
}

static long renaming(long number, int from_dir, const char *from, int dir, const char *path, long flags) {
    struct call watched;
    enter(&watched, "rename", dir, path);
    char whole[PATH_BYTES];
    const char *below = watched.watched && full_path(from_dir, from, whole) ? concerned(whole) : NULL;
    if (below) {
        watched.inode = inode_of(whole);
        snprintf(watched.second, sizeof watched.second, "%s", below);
    }
    long outcome = -1;
    if (watched.error) {
        errno = watched.error;
    } else {
        outcome = RAW(number, from_dir, from, dir, path, flags);
    }
    int error_now = errno;
    leave(&watched, outcome, error_now);
    errno = error_now;
    return outcome;
}
int rename(const char *from, const char *to) { return (int)renaming(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0); }

long syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    long a = va_arg(arguments, long), b = va_arg(arguments, long), c = va_arg(arguments, long);
    long d = va_arg(arguments, long), e = va_arg(arguments, long), f = va_arg(arguments, long);
    va_end(arguments);
    const char *name = (const char *)b;
    switch (number) {
        case SYS_openat2: {
            uint64_t flags = *(const uint64_t *)c;
            WATCHED(long, name_of_open(flags), (int)a, name, RAW(number, a, b, c, d), 0)
        }
        case SYS_openat: return opening((int)a, name, (int)c, (unsigned)d);
        case SYS_close: return close((int)a);
        case SYS_read: return read((int)a, (void *)b, (size_t)c);
        case SYS_write: return write((int)a, (const void *)b, (size_t)c);
        case SYS_pread64: return pread((int)a, (void *)b, (size_t)c, d);
        case SYS_pwrite64: return pwrite((int)a, (const void *)b, (size_t)c, d);
        case SYS_flock: {
            WATCHED(long, "lock", (int)a, NULL, RAW(number, a, b), 0)
        }
        case SYS_fchmod: {
            WATCHED(long, "fchmod", (int)a, NULL, RAW(number, a, b), 0)
        }
        case SYS_utimensat: {
            WATCHED(long, "utimensat", (int)a, name, RAW(number, a, b, c, d), 0)
        }
        case SYS_fsetxattr: {
            WATCHED(long, "setxattr", (int)a, NULL, RAW(number, a, b, c, d, e), 0)
        }
        case SYS_GETXATTRAT: {
            WATCHED(long, "getxattr", (int)a, name, RAW(number, a, b, c, d, e, f), 0)
        }
        case SYS_getdents64: {
            WATCHED(long, "getdents", (int)a, NULL, RAW(number, a, b, c), 0)
        }
        case SYS_statx: return statx((int)a, name, (int)c, (unsigned)d, (struct statx *)e);
        case SYS_renameat: return renaming(SYS_renameat, (int)a, name, (int)c, (const char *)d, 0);
        case SYS_renameat2: return renaming(number, (int)a, name, (int)c, (const char *)d, e);
        default: return RAW(number, a, b, c, d, e, f);
    }
}
