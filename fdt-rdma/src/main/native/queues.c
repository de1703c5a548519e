/*
 * The native methods of io.fdt.rdma.Verbs for queue pairs without the connection manager. The ends exchange their
 * numbers by other means. There are reliable connections, and datagrams with address handles.
 */
#define _GNU_SOURCE
#include "natives.h"

#include <errno.h>
#include <string.h>
#include <infiniband/verbs.h>

#define NATIVE(type, name, ...) FDT_NATIVE(io_fdt_rdma_Verbs_, jclass, type, name, ##__VA_ARGS__)

/* The first packet number of both ends. */
#define FIRST_PACKET 0

/* As many concurrent reads per connection as the device allows, up to 128, because the field is a byte. */
static uint8_t reads_at_once(int most) {
    return (uint8_t)(most < 1 ? 1 : most > 128 ? 128 : most);
}

/* Opens the named device. Returns 0 if there is no device with this name. */
NATIVE(jlong, openDevice, jstring name) {
    const char *wanted = (*env)->GetStringUTFChars(env, name, NULL);
    if (wanted == NULL) {
        return 0;
    }
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *context = NULL;
    for (int index = 0; list != NULL && list[index] != NULL && context == NULL; index++) {
        if (strcmp(ibv_get_device_name(list[index]), wanted) == 0) {
            context = ibv_open_device(list[index]);
        }
    }
    if (list != NULL) {
        ibv_free_device_list(list);
    }
    (*env)->ReleaseStringUTFChars(env, name, wanted);
    return HANDLE(context);
}

NATIVE(jint, closeDevice, jlong context) {
    return ibv_close_device(POINTER(struct ibv_context, context));
}

/* Returns the index of this address in the port's table, preferring RoCE version 2 if there are several types. Returns
 * -1 if the port does not have the address. */
NATIVE(jint, gidIndex, jlong context, jint port, jbyteArray wanted) {
    uint8_t gid[16];
    struct ibv_port_attr facts;
    jint found = -1;
    (*env)->GetByteArrayRegion(env, wanted, 0, 16, (jbyte *)gid);
    if (ibv_query_port(POINTER(struct ibv_context, context), (uint8_t)port, &facts) != 0) {
        return -1;
    }
    for (int index = 0; index < facts.gid_tbl_len; index++) {
        struct ibv_gid_entry entry;
        if (ibv_query_gid_ex(POINTER(struct ibv_context, context), (uint32_t)port, (uint32_t)index, &entry, 0) != 0 ||
            memcmp(entry.gid.raw, gid, sizeof gid) != 0) {
            continue;
        }
        if (entry.gid_type == IBV_GID_TYPE_ROCE_V2) {
            return index;
        }
        found = found < 0 ? index : found;
    }
    return found;
}

/* Returns the port's number in its InfiniBand subnet, or 0 on Ethernet. */
NATIVE(jint, lid, jlong context, jint port) {
    struct ibv_port_attr facts;
    return ibv_query_port(POINTER(struct ibv_context, context), (uint8_t)port, &facts) == 0 ? facts.lid : 0;
}

/* Registers memory of any length. Writes its keys to `keys`, the local key first. */
NATIVE(jlong, registered, jlong domain, jlong address, jlong length, jint access, jintArray keys) {
    struct ibv_mr *region = ibv_reg_mr(POINTER(struct ibv_pd, domain), POINTER(void, address), (size_t)length, access);
    if (region != NULL) {
        jint both[2] = {(jint)region->lkey, (jint)region->rkey};
        (*env)->SetIntArrayRegion(env, keys, 0, 2, both);
    }
    return fdt_made(env, "ibv_reg_mr", region);
}

/* ---- Queue pairs. */

NATIVE(jlong, createPair, jlong domain, jlong queue, jint kind, jint sends, jint receives, jint inline_bytes) {
    struct ibv_qp_init_attr wanted = {
        .send_cq = POINTER(struct ibv_cq, queue),
        .recv_cq = POINTER(struct ibv_cq, queue),
        .qp_type = (enum ibv_qp_type)kind,
        .cap = {
            .max_send_wr = (uint32_t)sends,
            .max_recv_wr = (uint32_t)receives,
            .max_send_sge = 1,
            .max_recv_sge = 1,
            .max_inline_data = (uint32_t)inline_bytes,
        },
    };
    return fdt_made(env, "ibv_create_qp", ibv_create_qp(POINTER(struct ibv_pd, domain), &wanted));
}

NATIVE(jint, destroyPair, jlong pair) {
    return ibv_destroy_qp(POINTER(struct ibv_qp, pair));
}

static struct ibv_ah_attr way_to(JNIEnv *env, jint port, jint gid_index, jbyteArray gid, jint lid) {
    struct ibv_ah_attr way = {
        .dlid = (uint16_t)lid,
        .port_num = (uint8_t)port,
        .is_global = 1,
        .grh = {.sgid_index = (uint8_t)gid_index, .hop_limit = 64},
    };
    (*env)->GetByteArrayRegion(env, gid, 0, 16, (jbyte *)way.grh.dgid.raw);
    return way;
}

/* Lets the pair accept receive requests. A datagram pair accepts messages with its key. */
NATIVE(jint, beginPair, jlong pair, jint port, jint access, jint key) {
    struct ibv_qp *of = POINTER(struct ibv_qp, pair);
    struct ibv_qp_attr change = {
        .qp_state = IBV_QPS_INIT,
        .pkey_index = 0,
        .port_num = (uint8_t)port,
        .qp_access_flags = (unsigned int)access,
        .qkey = (uint32_t)key,
    };
    int common = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
    return ibv_modify_qp(of, &change, common | (of->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

/* Lets an initialized datagram pair send as well. */
NATIVE(jint, goDatagrams, jlong pair) {
    struct ibv_qp_attr change = {.qp_state = IBV_QPS_RTR, .sq_psn = FIRST_PACKET};
    int error = ibv_modify_qp(POINTER(struct ibv_qp, pair), &change, IBV_QP_STATE);
    change.qp_state = IBV_QPS_RTS;
    return error != 0 ? error : ibv_modify_qp(POINTER(struct ibv_qp, pair), &change, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

/* Connects an initialized reliable pair. `mtu` is enum ibv_mtu. */
NATIVE(jint, goConnected, jlong pair, jint port, jint gid_index, jint mtu, jbyteArray gid, jint lid, jint number) {
    struct ibv_qp *of = POINTER(struct ibv_qp, pair);
    struct ibv_device_attr device;
    int error = ibv_query_device(of->context, &device);
    if (error != 0) {
        return error;
    }
    struct ibv_qp_attr change = {
        .qp_state = IBV_QPS_RTR,
        .path_mtu = (enum ibv_mtu)mtu,
        .dest_qp_num = (uint32_t)number,
        .rq_psn = FIRST_PACKET,
        .max_dest_rd_atomic = reads_at_once(device.max_qp_rd_atom),
        .min_rnr_timer = 12,
        .ah_attr = way_to(env, port, gid_index, gid, lid),
    };
    error = ibv_modify_qp(of, &change, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
        IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
    if (error != 0) {
        return error;
    }
    /* As for lanes: 4.096 us * 2^14 until a retransmission, and endless retries if the peer is only not ready. */
    change.qp_state = IBV_QPS_RTS;
    change.timeout = 14;
    change.retry_cnt = 7;
    change.rnr_retry = 7;
    change.sq_psn = FIRST_PACKET;
    change.max_rd_atomic = reads_at_once(device.max_qp_init_rd_atom);
    return ibv_modify_qp(of, &change, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
        IBV_QP_MAX_QP_RD_ATOMIC);
}

/* ---- Remote ends of datagrams. */

NATIVE(jlong, createAddress, jlong domain, jint port, jint gid_index, jbyteArray gid, jint lid) {
    struct ibv_ah_attr way = way_to(env, port, gid_index, gid, lid);
    return fdt_made(env, "ibv_create_ah", ibv_create_ah(POINTER(struct ibv_pd, domain), &way));
}

NATIVE(jint, destroyAddress, jlong address) {
    return ibv_destroy_ah(POINTER(struct ibv_ah, address));
}
