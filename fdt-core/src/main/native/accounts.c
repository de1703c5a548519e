// The accounts of this host, and becoming one of them for good.
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <jni.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GROUPS_MAX = 65536, TEXT_MAX = 1 << 20 };

// Returns 0 and the account, or ENOENT if there is none, or another errno.
static int find(const char *name, uid_t *uid, gid_t *gid) {
    for (size_t size = 4096; size <= TEXT_MAX; size *= 2) {
        char *text = malloc(size);
        if (text == NULL) {
            return ENOMEM;
        }
        struct passwd account;
        struct passwd *found = NULL;
        int outcome = getpwnam_r(name, &account, text, size, &found);
        if (found != NULL) {
            *uid = found->pw_uid;
            *gid = found->pw_gid;
        }
        free(text);
        if (outcome != ERANGE) {
            return found != NULL ? 0 : outcome != 0 ? outcome : ENOENT;
        }
    }
    return ERANGE;
}

// The user, its group, and then all its groups. Null with an errno in the array if there is no answer.
JNIEXPORT jintArray JNICALL Java_io_fdt_core_nativecode_NativeCode_account(
    JNIEnv *env, jclass type, jbyteArray name, jintArray reason) {
    (void)type;
    uid_t uid = 0;
    gid_t gid = 0;
    jbyte *text = (*env)->GetByteArrayElements(env, name, NULL);
    if (text == NULL) {
        return NULL;
    }
    int count = GROUPS_MAX;
    gid_t *groups = calloc(GROUPS_MAX, sizeof(gid_t));
    jint outcome = groups == NULL ? ENOMEM : find((const char *)text, &uid, &gid);
    if (outcome == 0 && getgrouplist((const char *)text, gid, groups, &count) < 0) {
        outcome = E2BIG;
    }
    (*env)->ReleaseByteArrayElements(env, name, text, JNI_ABORT);
    jintArray answer = NULL;
    if (outcome == 0) {
        answer = (*env)->NewIntArray(env, count + 2);
        if (answer != NULL) {
            jint both[] = {(jint)uid, (jint)gid};
            (*env)->SetIntArrayRegion(env, answer, 0, 2, both);
            (*env)->SetIntArrayRegion(env, answer, 2, count, (const jint *)groups);
        }
    } else {
        (*env)->SetIntArrayRegion(env, reason, 0, 1, &outcome);
    }
    free(groups);
    return answer;
}

// The C library changes all threads; a thread that starts meanwhile waits.
JNIEXPORT jint JNICALL Java_io_fdt_core_nativecode_NativeCode_become(
    JNIEnv *env, jclass type, jint uid, jint gid, jintArray groups) {
    (void)type;
    jsize count = (*env)->GetArrayLength(env, groups);
    jint *list = (*env)->GetIntArrayElements(env, groups, NULL);
    if (list == NULL) {
        return ENOMEM;
    }
    int failed = setgroups((size_t)count, (const gid_t *)list) != 0 ||
                 setresgid((gid_t)gid, (gid_t)gid, (gid_t)gid) != 0 ||
                 setresuid((uid_t)uid, (uid_t)uid, (uid_t)uid) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0;
    int reason = errno;
    (*env)->ReleaseIntArrayElements(env, groups, list, JNI_ABORT);
    if (failed) {
        return reason;
    }
    // A process with changed secure bits would keep them.
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, data) != 0) {
        return errno;
    }
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        if (data[i].effective != 0 || data[i].permitted != 0) {
            return EPERM;
        }
    }
    return 0;
}
