/*
 * The native methods of DiSNI 2.1's com.ibm.disni.verbs.impl.NativeDispatcher that fdt calls, written from their Java
 * signatures and the manual pages of libibverbs and librdmacm.
 *
 * DiSNI serializes work requests and completions in the exact layout of the C structures, so addresses are passed on
 * unchanged. rdma_* calls and calls that create an object leave their error in errno. ibv_post_*, ibv_destroy_*,
 * ibv_dereg_mr and ibv_req_notify_cq return it.
 */
#define _GNU_SOURCE
#include "natives.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <infiniband/verbs.h>

#define NATIVE(type, name, ...) FDT_NATIVE(com_ibm_disni_verbs_impl_NativeDispatcher__1, jobject, type, name, ##__VA_ARGS__)

/* The version of the native interface that these Java classes require. */
#define DISNI_INTERFACE_VERSION 32

/* The maximum of scatter/gather entries in DiSNI's queue pairs. The classes have no field for it. */
#define MOST_SGES 4

jint fdt_throw(JNIEnv *env, const char *what, int error) {
    char reason[96], message[192];
    const char *text = strerror_r(error, reason, sizeof reason);
    snprintf(message, sizeof message, "%s: %s", what, text);
    jclass type = (*env)->FindClass(env, "java/io/IOException");
    if (type != NULL) {
        (*env)->ThrowNew(env, type, message);
    }
    return -1;
}

int fdt_nonblocking(int fd) {
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? errno : 0;
}

int fdt_await_readable(int fd, int timeout_ms) {
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    return poll(&polled, 1, timeout_ms) > 0;
}

jlong fdt_made(JNIEnv *env, const char *what, void *object) {
    return object != NULL ? HANDLE(object) : fdt_throw(env, what, errno);
}

static void check_errno(JNIEnv *env, const char *what, int result) {
    if (result != 0) {
        fdt_throw(env, what, errno);
    }
}

/* ---- Calls that the classes make first. */

NATIVE(jint, getVersion) {
    return DISNI_INTERFACE_VERSION;
}

NATIVE(jint, getSockAddrInSize) {
    return sizeof(struct sockaddr_in);
}

NATIVE(jint, getIbvRecvWRSize) {
    return sizeof(struct ibv_recv_wr);
}

NATIVE(jint, getIbvSendWRSize) {
    return sizeof(struct ibv_send_wr);
}

NATIVE(jint, getIbvSgeSize) {
    return sizeof(struct ibv_sge);
}

NATIVE(jint, getIbvWCSize) {
    return sizeof(struct ibv_wc);
}

NATIVE(jint, getRemoteAddressOffset) {
    return offsetof(struct ibv_send_wr, wr.rdma.remote_addr);
}

NATIVE(jint, getRKeyOffset) {
    return offsetof(struct ibv_send_wr, wr.rdma.rkey);
}

/* ---- Connections. */

NATIVE(jlong, createEventChannel) {
    struct rdma_event_channel *channel = rdma_create_event_channel();
    if (channel == NULL) {
        return fdt_throw(env, "rdma_create_event_channel", errno);
    }
    int error = fdt_nonblocking(channel->fd);
    if (error != 0) {
        rdma_destroy_event_channel(channel);
        return fdt_throw(env, "rdma_create_event_channel", error);
    }
    return HANDLE(channel);
}

NATIVE(jlong, createId, jlong channel, jshort port_space) {
    struct rdma_cm_id *id = NULL;
    if (rdma_create_id(POINTER(struct rdma_event_channel, channel), &id, NULL, (enum rdma_port_space)(uint16_t)port_space) != 0) {
        return fdt_throw(env, "rdma_create_id", errno);
    }
    return HANDLE(id);
}

NATIVE(void, listen, jlong id, jint backlog) {
    check_errno(env, "rdma_listen", rdma_listen(POINTER(struct rdma_cm_id, id), backlog));
}

NATIVE(void, resolveRoute, jlong id, jint timeout_ms) {
    check_errno(env, "rdma_resolve_route", rdma_resolve_route(POINTER(struct rdma_cm_id, id), timeout_ms));
}

NATIVE(void, connect, jlong id, jint retries, jint rnr_retries, jlong data, jbyte length) {
    struct rdma_conn_param parameters = {
        .responder_resources = RDMA_MAX_RESP_RES,
        .initiator_depth = RDMA_MAX_INIT_DEPTH,
        .retry_count = (uint8_t)retries,
        .rnr_retry_count = (uint8_t)rnr_retries,
    };
    if (data != 0) {
        parameters.private_data = POINTER(void, data);
        parameters.private_data_len = (uint8_t)length;
    }
    check_errno(env, "rdma_connect", rdma_connect(POINTER(struct rdma_cm_id, id), &parameters));
}

NATIVE(jint, disconnect, jlong id) {
    return rdma_disconnect(POINTER(struct rdma_cm_id, id));
}

NATIVE(jint, destroyEventChannel, jlong channel) {
    rdma_destroy_event_channel(POINTER(struct rdma_event_channel, channel));
    return 0;
}

NATIVE(jint, destroyCmId, jlong id) {
    return rdma_destroy_id(POINTER(struct rdma_cm_id, id));
}

/* ---- Queue pairs. */

NATIVE(jlong, createQP, jlong id, jlong domain, jlong send_queue, jlong receive_queue, jint type, jint send_requests,
    jint receive_requests, jint inline_bytes) {
    struct rdma_cm_id *of = POINTER(struct rdma_cm_id, id);
    struct ibv_device_attr device;
    if (of->verbs == NULL) {
        return fdt_throw(env, "rdma_create_qp before the address is resolved", EINVAL);
    }
    int error = ibv_query_device(of->verbs, &device);
    if (error != 0) {
        return fdt_throw(env, "ibv_query_device", error);
    }
    uint32_t sges = device.max_sge < MOST_SGES ? (uint32_t)device.max_sge : MOST_SGES;
    struct ibv_qp_init_attr wanted = {
        .send_cq = POINTER(struct ibv_cq, send_queue),
        .recv_cq = POINTER(struct ibv_cq, receive_queue),
        .qp_type = (enum ibv_qp_type)type,
        .cap = {
            .max_send_wr = (uint32_t)send_requests,
            .max_recv_wr = (uint32_t)receive_requests,
            .max_send_sge = sges,
            .max_recv_sge = sges,
            .max_inline_data = (uint32_t)inline_bytes,
        },
    };
    if (rdma_create_qp(of, POINTER(struct ibv_pd, domain), &wanted) != 0) {
        return fdt_throw(env, "rdma_create_qp", errno);
    }
    return HANDLE(of->qp);
}

NATIVE(jint, destroyQP, jlong id) {
    struct rdma_cm_id *of = POINTER(struct rdma_cm_id, id);
    if (of->qp == NULL) {
        return -1;
    }
    rdma_destroy_qp(of);
    return 0;
}

NATIVE(jint, getQpNum, jlong pair) {
    return (jint)POINTER(struct ibv_qp, pair)->qp_num;
}

NATIVE(void, postSend, jlong pair, jlong requests) {
    struct ibv_send_wr *bad;
    int error = ibv_post_send(POINTER(struct ibv_qp, pair), POINTER(struct ibv_send_wr, requests), &bad);
    if (error != 0) {
        fdt_throw(env, "ibv_post_send", error);
    }
}

NATIVE(void, postRecv, jlong pair, jlong requests) {
    struct ibv_recv_wr *bad;
    int error = ibv_post_recv(POINTER(struct ibv_qp, pair), POINTER(struct ibv_recv_wr, requests), &bad);
    if (error != 0) {
        fdt_throw(env, "ibv_post_recv", error);
    }
}

/* ---- The device and its memory. */

NATIVE(jlong, getContext, jlong id) {
    struct ibv_context *context = POINTER(struct rdma_cm_id, id)->verbs;
    return context != NULL ? HANDLE(context) : -1;
}

NATIVE(jlong, allocPd, jlong context) {
    return fdt_made(env, "ibv_alloc_pd", ibv_alloc_pd(POINTER(struct ibv_context, context)));
}

NATIVE(jint, deallocPd, jlong domain) {
    return ibv_dealloc_pd(POINTER(struct ibv_pd, domain));
}

NATIVE(jlong, regMr, jlong domain, jlong address, jint length, jint access, jlong local_key, jlong remote_key, jlong handle) {
    struct ibv_mr *region = ibv_reg_mr(POINTER(struct ibv_pd, domain), POINTER(void, address), (size_t)(uint32_t)length, access);
    if (region == NULL) {
        return fdt_throw(env, "ibv_reg_mr", errno);
    }
    memcpy(POINTER(void, local_key), &region->lkey, sizeof region->lkey);
    memcpy(POINTER(void, remote_key), &region->rkey, sizeof region->rkey);
    memcpy(POINTER(void, handle), &region->handle, sizeof region->handle);
    return HANDLE(region);
}

NATIVE(void, deregMr, jlong region) {
    int error = ibv_dereg_mr(POINTER(struct ibv_mr, region));
    if (error != 0) {
        fdt_throw(env, "ibv_dereg_mr", error);
    }
}

/* ---- Completions. */

NATIVE(jlong, createCompChannel, jlong context) {
    struct ibv_comp_channel *channel = ibv_create_comp_channel(POINTER(struct ibv_context, context));
    if (channel == NULL) {
        return fdt_throw(env, "ibv_create_comp_channel", errno);
    }
    int error = fdt_nonblocking(channel->fd);
    if (error != 0) {
        ibv_destroy_comp_channel(channel);
        return fdt_throw(env, "ibv_create_comp_channel", error);
    }
    return HANDLE(channel);
}

NATIVE(jint, destroyCompChannel, jlong channel) {
    return ibv_destroy_comp_channel(POINTER(struct ibv_comp_channel, channel));
}

NATIVE(jlong, createCQ, jlong context, jlong channel, jint entries, jint vector) {
    return fdt_made(env, "ibv_create_cq", ibv_create_cq(POINTER(struct ibv_context, context), entries, NULL,
        POINTER(struct ibv_comp_channel, channel), vector));
}

NATIVE(jint, destroyCQ, jlong queue) {
    return ibv_destroy_cq(POINTER(struct ibv_cq, queue));
}

NATIVE(jint, pollCQ, jlong queue, jint most, jlong completions) {
    return ibv_poll_cq(POINTER(struct ibv_cq, queue), most, POINTER(struct ibv_wc, completions));
}

NATIVE(jint, reqNotifyCQ, jlong queue, jint solicited_only) {
    return ibv_req_notify_cq(POINTER(struct ibv_cq, queue), solicited_only);
}

NATIVE(jint, getCqEvent, jlong channel, jint timeout_ms) {
    struct ibv_comp_channel *from = POINTER(struct ibv_comp_channel, channel);
    struct ibv_cq *queue;
    void *context;
    return fdt_await_readable(from->fd, timeout_ms) && ibv_get_cq_event(from, &queue, &context) == 0 ? 0 : -1;
}

NATIVE(jint, ackCqEvent, jlong queue, jint count) {
    ibv_ack_cq_events(POINTER(struct ibv_cq, queue), (unsigned int)count);
    return 0;
}
