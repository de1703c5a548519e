/*
 * The native methods of io.fdt.rdma.Verbs, which DiSNI's classes lack: connection events with status and private data,
 * IPv6 addresses, private data on accept and reject, options of a connection, properties of devices and ports, memory
 * in huge pages, and one wait for everything that a lane's thread waits for.
 */
#define _GNU_SOURCE
#include "natives.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <infiniband/verbs.h>

#define NATIVE(type, name, ...) FDT_NATIVE(io_fdt_rdma_Verbs_, jclass, type, name, ##__VA_ARGS__)

/* The layout in which Java reads an event. */
struct java_event {
    int32_t kind;
    int32_t status;
    int64_t listen_id;
    int64_t id;
    int32_t private_length;
    int32_t zero;
    uint8_t private_data[256];
};

/* Fills the address from 4 or 16 bytes. Returns 0 or EAFNOSUPPORT. */
static int fill_address(JNIEnv *env, struct sockaddr_storage *to, jbyteArray bytes, jint port, jint scope) {
    memset(to, 0, sizeof *to);
    jsize length = (*env)->GetArrayLength(env, bytes);
    if (length == 4) {
        struct sockaddr_in *v4 = (struct sockaddr_in *)to;
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)port);
        (*env)->GetByteArrayRegion(env, bytes, 0, 4, (jbyte *)&v4->sin_addr);
        return 0;
    }
    if (length == 16) {
        struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)port);
        v6->sin6_scope_id = (uint32_t)scope;
        (*env)->GetByteArrayRegion(env, bytes, 0, 16, (jbyte *)&v6->sin6_addr);
        return 0;
    }
    return EAFNOSUPPORT;
}

NATIVE(void, bind, jlong id, jbyteArray bytes, jint port, jint scope) {
    struct sockaddr_storage address;
    int error = fill_address(env, &address, bytes, port, scope);
    if (error == 0 && rdma_bind_addr(POINTER(struct rdma_cm_id, id), (struct sockaddr *)&address) != 0) {
        error = errno;
    }
    if (error != 0) {
        fdt_throw(env, "rdma_bind_addr", error);
    }
}

NATIVE(void, resolve, jlong id, jbyteArray bytes, jint port, jint scope, jint timeout_ms) {
    struct sockaddr_storage address;
    int error = fill_address(env, &address, bytes, port, scope);
    if (error == 0 &&
        rdma_resolve_addr(POINTER(struct rdma_cm_id, id), NULL, (struct sockaddr *)&address, timeout_ms) != 0) {
        error = errno;
    }
    if (error != 0) {
        fdt_throw(env, "rdma_resolve_addr", error);
    }
}

NATIVE(jint, localPort, jlong id) {
    return ntohs(rdma_get_src_port(POINTER(struct rdma_cm_id, id)));
}

NATIVE(jint, peerPort, jlong id) {
    return ntohs(rdma_get_dst_port(POINTER(struct rdma_cm_id, id)));
}

/* Returns the address of the remote end, 4 or 16 bytes, or null if it has none. */
NATIVE(jbyteArray, peerAddress, jlong id) {
    const struct sockaddr *address = rdma_get_peer_addr(POINTER(struct rdma_cm_id, id));
    const void *bytes;
    jsize length;
    if (address != NULL && address->sa_family == AF_INET) {
        bytes = &((const struct sockaddr_in *)address)->sin_addr;
        length = 4;
    } else if (address != NULL && address->sa_family == AF_INET6) {
        bytes = &((const struct sockaddr_in6 *)address)->sin6_addr;
        length = 16;
    } else {
        return NULL;
    }
    jbyteArray result = (*env)->NewByteArray(env, length);
    if (result != NULL) {
        (*env)->SetByteArrayRegion(env, result, 0, length, bytes);
    }
    return result;
}

/* Takes one event, acknowledges it and writes it to `out`. Returns false if there is none. Never waits. */
NATIVE(jboolean, takeEvent, jlong channel, jlong out) {
    struct rdma_cm_event *event;
    struct java_event *java = POINTER(struct java_event, out);
    if (rdma_get_cm_event(POINTER(struct rdma_event_channel, channel), &event) != 0) {
        return JNI_FALSE;
    }
    java->kind = (int32_t)event->event;
    java->status = event->status;
    java->listen_id = HANDLE(event->listen_id);
    java->id = HANDLE(event->id);
    java->private_length = 0;
    /* Only these events have private data, at this place for connected queue pairs. */
    if ((event->event == RDMA_CM_EVENT_CONNECT_REQUEST || event->event == RDMA_CM_EVENT_ESTABLISHED ||
            event->event == RDMA_CM_EVENT_REJECTED) && event->param.conn.private_data != NULL) {
        java->private_length = event->param.conn.private_data_len;
        memcpy(java->private_data, event->param.conn.private_data, event->param.conn.private_data_len);
    }
    rdma_ack_cm_event(event);
    return JNI_TRUE;
}

NATIVE(void, accept, jlong id, jint rnr_retries, jlong data, jint length) {
    struct rdma_conn_param parameters = {
        .responder_resources = RDMA_MAX_RESP_RES,
        .initiator_depth = RDMA_MAX_INIT_DEPTH,
        .rnr_retry_count = (uint8_t)rnr_retries,
        .private_data = POINTER(void, data),
        .private_data_len = (uint8_t)length,
    };
    if (rdma_accept(POINTER(struct rdma_cm_id, id), &parameters) != 0) {
        fdt_throw(env, "rdma_accept", errno);
    }
}

NATIVE(jint, reject, jlong id, jlong data, jint length) {
    return rdma_reject(POINTER(struct rdma_cm_id, id), POINTER(void, data), (uint8_t)length) != 0 ? errno : 0;
}

/* Moves the connection to the other channel, which delivers its events from now on. */
NATIVE(void, migrate, jlong id, jlong channel) {
    if (rdma_migrate_id(POINTER(struct rdma_cm_id, id), POINTER(struct rdma_event_channel, channel)) != 0) {
        fdt_throw(env, "rdma_migrate_id", errno);
    }
}

static jint set_option(jlong id, int option, void *value, size_t length) {
    return rdma_set_option(POINTER(struct rdma_cm_id, id), RDMA_OPTION_ID, option, value, length) != 0 ? errno : 0;
}

NATIVE(jint, setReuseAddress, jlong id) {
    int yes = 1;
    return set_option(id, RDMA_OPTION_ID_REUSEADDR, &yes, sizeof yes);
}

/* ---- Devices. */

/* Returns the names of the devices that programs may use. */
NATIVE(jobjectArray, devices) {
    int count = 0;
    struct ibv_device **list = ibv_get_device_list(&count);
    jclass string = (*env)->FindClass(env, "java/lang/String");
    jobjectArray names = string == NULL ? NULL : (*env)->NewObjectArray(env, list == NULL ? 0 : count, string, NULL);
    for (int index = 0; names != NULL && list != NULL && index < count; index++) {
        jstring name = (*env)->NewStringUTF(env, ibv_get_device_name(list[index]));
        if (name == NULL) {
            break;
        }
        (*env)->SetObjectArrayElement(env, names, index, name);
        (*env)->DeleteLocalRef(env, name);
    }
    if (list != NULL) {
        ibv_free_device_list(list);
    }
    return names;
}

NATIVE(jstring, deviceName, jlong context) {
    return (*env)->NewStringUTF(env, ibv_get_device_name(POINTER(struct ibv_context, context)->device));
}

/* Writes the maximum requests in a queue, completions in a queue and parts of a request, and whether the transport is
 * iWARP. Returns 0 or an error number. */
NATIVE(jint, deviceLimits, jlong context, jintArray out) {
    struct ibv_context *of = POINTER(struct ibv_context, context);
    struct ibv_device_attr device;
    int error = ibv_query_device(of, &device);
    if (error == 0) {
        jint limits[4] = {device.max_qp_wr, device.max_cqe, device.max_sge,
            of->device->transport_type == IBV_TRANSPORT_IWARP};
        (*env)->SetIntArrayRegion(env, out, 0, 4, limits);
    }
    return error;
}

/* Writes the GID of the local port of the connection, or zeros before its address has been resolved. */
NATIVE(void, localGid, jlong id, jbyteArray out) {
    const union ibv_gid *gid = &POINTER(struct rdma_cm_id, id)->route.addr.addr.ibaddr.sgid;
    (*env)->SetByteArrayRegion(env, out, 0, sizeof gid->raw, (const jbyte *)gid->raw);
}

/* Writes the state, the active MTU in bytes, the link layer (1 InfiniBand, 2 Ethernet), and the number of GIDs. Returns
 * 0 or an error number. */
NATIVE(jint, portFacts, jlong context, jint port, jintArray out) {
    struct ibv_port_attr facts;
    int error = ibv_query_port(POINTER(struct ibv_context, context), (uint8_t)port, &facts);
    if (error == 0) {
        jint values[4] = {(jint)facts.state, 128 << facts.active_mtu, facts.link_layer, facts.gid_tbl_len};
        (*env)->SetIntArrayRegion(env, out, 0, 4, values);
    }
    return error;
}

/* ---- Memory. */

/*
 * Maps zeroed memory in whole pages. With `huge`, uses huge pages or fails. Returns its address or 0. A forked process
 * does not inherit the memory: otherwise the device would keep using the pages of only one of the processes.
 */
NATIVE(jlong, map, jlong length, jboolean huge) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (huge ? MAP_HUGETLB | MAP_POPULATE : 0);
    void *memory = mmap(NULL, (size_t)length, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED) {
        return 0;
    }
    if (madvise(memory, (size_t)length, MADV_DONTFORK) != 0) {
        munmap(memory, (size_t)length);
        return 0;
    }
    return HANDLE(memory);
}

NATIVE(jint, unmap, jlong address, jlong length) {
    return munmap(POINTER(void, address), (size_t)length) != 0 ? errno : 0;
}

NATIVE(jobject, view, jlong address, jlong length) {
    return (*env)->NewDirectByteBuffer(env, POINTER(void, address), length);
}

NATIVE(jlong, address, jobject buffer) {
    return HANDLE((*env)->GetDirectBufferAddress(env, buffer));
}

/* ---- Waiting. */

NATIVE(void, copy, jlong to, jlong from, jint length) {
    memcpy(POINTER(void, to), POINTER(const void, from), (size_t)length);
}

/*
 * Waits for completions, events of the connection, or a wake-up. 0 and -1 stand for those that are not used. Returns
 * the sum of what is ready: 1, 2 and 4 in this order.
 */
NATIVE(jint, await, jlong completions, jlong events, jint wake_up, jint timeout_ms) {
    struct pollfd polled[3] = {
        {.fd = completions != 0 ? POINTER(struct ibv_comp_channel, completions)->fd : -1, .events = POLLIN},
        {.fd = events != 0 ? POINTER(struct rdma_event_channel, events)->fd : -1, .events = POLLIN},
        {.fd = wake_up, .events = POLLIN},
    };
    int there = 0;
    if (poll(polled, 3, timeout_ms) > 0) {
        for (int index = 0; index < 3; index++) {
            there |= (polled[index].revents != 0) << index;
        }
    }
    return there;
}

/* ---- Texts. */

NATIVE(jstring, completionText, jint status) {
    return (*env)->NewStringUTF(env, ibv_wc_status_str((enum ibv_wc_status)status));
}

NATIVE(jstring, errorText, jint error) {
    char reason[96];
    return (*env)->NewStringUTF(env, strerror_r(error, reason, sizeof reason));
}
