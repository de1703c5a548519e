// Restricts all threads of the process by a Landlock ruleset. The kernel restricts only the thread that asks (before
// Linux 7.0), so every thread has to ask: it does so in the handler of a signal.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <jni.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446
#endif

enum { THREADS_MAX = 65536, LOOK_NANOS = 10000000, LOOKS_MAX = 1000 };

// The handler is left installed, so that a signal which a thread takes late ends nothing.
static atomic_int rules = -1;
static sem_t answers;
static atomic_int failure;

static int restrict_this_thread(void) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_landlock_restrict_self, rules, 0) != 0) {
        return errno;
    }
    return 0;
}

static void on_signal(int number) {
    (void)number;
    int before = errno;
    int outcome = rules < 0 ? 0 : restrict_this_thread();
    if (outcome != 0) {
        failure = outcome;
    }
    (void)sem_post(&answers);
    errno = before;
}

// Returns 0 if the thread is restricted or has ended, or an errno.
static int restrict_thread(pid_t thread) {
    if (syscall(SYS_tgkill, getpid(), thread, SIGRTMIN) != 0) {
        return errno == ESRCH ? 0 : errno;
    }
    for (int looks = 0; looks < LOOKS_MAX; looks++) {
        struct timespec until;
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_NANOS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (sem_timedwait(&answers, &until) == 0) {
            return failure;
        }
        if (syscall(SYS_tgkill, getpid(), thread, 0) != 0) {
            return sem_trywait(&answers) == 0 ? failure : 0;
        }
    }
    return ETIMEDOUT;
}

static int known(const pid_t *threads, int count, pid_t thread) {
    while (count > 0 && threads[count - 1] != thread) {
        count--;
    }
    return count > 0;
}

// A thread inherits the restriction of the one that creates it. So a look that finds no new thread was the last one.
static int restrict_others(DIR *tasks, const jint *except, jsize exceptions) {
    pid_t *done = calloc(THREADS_MAX, sizeof(pid_t));
    if (done == NULL) {
        return ENOMEM;
    }
    int count = 0;
    done[count++] = (pid_t)syscall(SYS_gettid);
    for (jsize i = 0; i < exceptions && count < THREADS_MAX; i++) {
        done[count++] = (pid_t)except[i];
    }
    int outcome = 0;
    int refused = 0;
    // In another namespace of processes the list has other numbers.
    int self_seen = 0;
    for (int before = 0; outcome == 0 && before != count;) {
        before = count;
        rewinddir(tasks);
        for (struct dirent *each = readdir(tasks); each != NULL && outcome == 0; each = readdir(tasks)) {
            pid_t thread = (pid_t)atoi(each->d_name);
            self_seen |= thread == done[0];
            if (thread <= 0 || known(done, count, thread)) {
                continue;
            }
            if (count == THREADS_MAX) {
                outcome = E2BIG;
            } else {
                // All the others are restricted even if this one does not answer.
                int answer = restrict_thread(thread);
                refused = refused != 0 ? refused : answer;
                done[count++] = thread;
            }
        }
    }
    free(done);
    return outcome != 0 ? outcome : refused != 0 ? refused : self_seen ? 0 : ESRCH;
}

JNIEXPORT jint JNICALL Java_io_fdt_core_nativecode_NativeCode_restrictThreads(
    JNIEnv *env, jclass type, jint ruleset, jintArray except) {
    (void)type;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL || sem_init(&answers, 0, 0) != 0 || sigaction(SIGRTMIN, &action, NULL) != 0) {
        int reason = errno;
        if (tasks != NULL) {
            (void)closedir(tasks);
        }
        return reason;
    }
    rules = ruleset;
    failure = 0;
    jint *exceptions = (*env)->GetIntArrayElements(env, except, NULL);
    int outcome = exceptions == NULL ? ENOMEM : restrict_this_thread();
    if (outcome == 0) {
        outcome = restrict_others(tasks, exceptions, (*env)->GetArrayLength(env, except));
    }
    rules = -1;
    if (exceptions != NULL) {
        (*env)->ReleaseIntArrayElements(env, except, exceptions, JNI_ABORT);
    }
    (void)closedir(tasks);
    return outcome;
}
