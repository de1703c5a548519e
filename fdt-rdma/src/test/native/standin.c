/*
 * A stand-in for a device: implements the functions of libibverbs, librdmacm and memory mapping that the native methods
 * call. It is compiled into the same library, where it takes precedence over the real functions. It only records the
 * objects that were created, enforces the order in which a kernel releases objects, and fails the selected call. For
 * one thread at a time.
 */
#define _GNU_SOURCE
#include "natives.h"

#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <infiniband/verbs.h>

#undef ibv_get_device_list
#undef ibv_query_port
#undef ibv_reg_mr

#define STAND_IN(type, name, ...) FDT_NATIVE(io_fdt_rdma_StandIn_, jclass, type, name, ##__VA_ARGS__)
#define MOST 256

/* An object that was created and not yet released, and the objects that it depends on. */
struct thing {
    void *at;
    void *needs[4];
    size_t length;
    int is_mapping;
};

static struct thing things[MOST];
static int calls, failing, mistakes, held_on;

/* Posted receive requests complete as flushed when the connection ends. */
static uint64_t posted[MOST];
static int posted_count, flushed;

/* Counts the call. Returns whether it is the one that should fail. */
static int fails(void) {
    calls++;
    errno = calls == failing ? ENOMEM : 0;
    return calls == failing;
}

static void *add(void *at, size_t length, int is_mapping, void *a, void *b, void *c) {
    for (int index = 0; index < MOST; index++) {
        if (things[index].at == NULL) {
            things[index] = (struct thing){.at = at, .needs = {a, b, c, NULL}, .length = length, .is_mapping = is_mapping};
            return at;
        }
    }
    abort();
}

/* Removes an object from the list. Returns 0, EBUSY while another object depends on it, or EINVAL for an unknown
 * object. */
static int forget(void *at) {
    struct thing *found = NULL;
    for (int index = 0; index < MOST; index++) {
        if (things[index].at == NULL) {
            continue;
        }
        if (things[index].at == at) {
            found = &things[index];
        }
        for (int need = 0; need < 3; need++) {
            if (things[index].needs[need] == at) {
                return EBUSY;
            }
        }
    }
    if (found == NULL) {
        mistakes++;
        return EINVAL;
    }
    found->at = NULL;
    memset(found->needs, 0, sizeof found->needs);
    return 0;
}

/* Returns NULL if the call fails. */
static void *make(size_t bytes, void *a, void *b, void *c) {
    return fails() ? NULL : add(calloc(1, bytes), 0, 0, a, b, c);
}

/* If the call fails, the device keeps the object. */
static int destroy(void *at) {
    int failed = fails();
    int error = failed ? EBUSY : forget(at);
    held_on |= failed;
    if (error == 0) {
        free(at);
    }
    return error;
}

/* ---- Memory. */

void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset) {
    if (fails()) {
        return MAP_FAILED;
    }
    void *memory = (void *)syscall(SYS_mmap, at, length, protection, flags & ~MAP_HUGETLB, fd, offset);
    return memory == MAP_FAILED ? memory : add(memory, length, 1, NULL, NULL, NULL);
}

int munmap(void *at, size_t length) {
    for (int index = 0; index < MOST; index++) {
        if (things[index].at == at && things[index].length != length) {
            mistakes++;
        }
    }
    /* The address of memory that was already unmapped may have been reused by now. */
    return forget(at) != 0 ? -1 : (int)syscall(SYS_munmap, at, length);
}

/* ---- The device. */

static struct ibv_device device = {.name = "standin0", .transport_type = IBV_TRANSPORT_IB};

static int post_receive(struct ibv_qp *pair, struct ibv_recv_wr *request, struct ibv_recv_wr **bad) {
    (void)pair;
    *bad = request;
    if (fails()) {
        return ENOMEM;
    }
    for (; request != NULL && posted_count < MOST; request = request->next) {
        posted[posted_count++] = request->wr_id;
    }
    return 0;
}

static int poll_queue(struct ibv_cq *queue, int most, struct ibv_wc *out) {
    (void)queue;
    int count = 0;
    for (; flushed && posted_count > 0 && count < most; count++) {
        out[count] = (struct ibv_wc){.wr_id = posted[--posted_count], .status = IBV_WC_WR_FLUSH_ERR};
    }
    return count;
}

struct ibv_device **ibv_get_device_list(int *count) {
    struct ibv_device **list = fails() ? NULL : add(calloc(2, sizeof *list), 0, 0, NULL, NULL, NULL);
    if (count != NULL) {
        *count = list != NULL;
    }
    if (list != NULL) {
        list[0] = &device;
    }
    return list;
}

void ibv_free_device_list(struct ibv_device **list) {
    forget(list);
    free(list);
}

const char *ibv_get_device_name(struct ibv_device *of) {
    return of->name;
}

struct ibv_context *ibv_open_device(struct ibv_device *of) {
    struct ibv_context *context = make(sizeof *context, NULL, NULL, NULL);
    if (context != NULL) {
        context->device = of;
        context->ops.post_recv = post_receive;
        context->ops.poll_cq = poll_queue;
    }
    return context;
}

int ibv_close_device(struct ibv_context *context) {
    return destroy(context);
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *out) {
    (void)context;
    *out = (struct ibv_device_attr){.max_qp_wr = 1024, .max_cqe = 4096, .max_sge = 4, .max_qp_rd_atom = 16};
    return fails() ? EIO : 0;
}

int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *compat) {
    struct ibv_port_attr *out = (struct ibv_port_attr *)compat;
    (void)context, (void)port;
    out->gid_tbl_len = 1;
    out->active_mtu = IBV_MTU_4096;
    return fails() ? EIO : 0;
}

int _ibv_query_gid_ex(
    struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *out, uint32_t flags, size_t size) {
    (void)context, (void)port, (void)index, (void)flags, (void)size;
    memset(out, 0, sizeof *out);
    out->gid_type = IBV_GID_TYPE_ROCE_V2;
    return fails() ? EIO : 0;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context) {
    struct ibv_pd *domain = make(sizeof *domain, context, NULL, NULL);
    if (domain != NULL) {
        domain->context = context;
    }
    return domain;
}

int ibv_dealloc_pd(struct ibv_pd *domain) {
    return destroy(domain);
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *domain, void *at, size_t length, uint64_t seen_at, unsigned int access) {
    (void)at, (void)length, (void)seen_at, (void)access;
    return make(sizeof(struct ibv_mr), domain, NULL, NULL);
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *domain, void *at, size_t length, int access) {
    return ibv_reg_mr_iova2(domain, at, length, 0, (unsigned int)access);
}

int ibv_dereg_mr(struct ibv_mr *region) {
    return destroy(region);
}

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context) {
    struct ibv_comp_channel *channel = make(sizeof *channel, context, NULL, NULL);
    if (channel != NULL) {
        channel->fd = eventfd(0, EFD_CLOEXEC);
    }
    return channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel) {
    int fd = channel->fd;
    int error = destroy(channel);
    if (error == 0) {
        close(fd);
    }
    return error;
}

struct ibv_cq *ibv_create_cq(
    struct ibv_context *context, int entries, void *user, struct ibv_comp_channel *channel, int vector) {
    (void)entries, (void)user, (void)vector;
    struct ibv_cq *queue = make(sizeof *queue, context, channel, NULL);
    if (queue != NULL) {
        queue->context = context;
    }
    return queue;
}

int ibv_destroy_cq(struct ibv_cq *queue) {
    return destroy(queue);
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *domain, struct ibv_qp_init_attr *wanted) {
    struct ibv_qp *pair = make(sizeof *pair, domain, wanted->send_cq, wanted->srq);
    if (pair != NULL) {
        pair->context = domain->context;
        pair->qp_type = wanted->qp_type;
        pair->qp_num = 17;
    }
    return pair;
}

int ibv_modify_qp(struct ibv_qp *pair, struct ibv_qp_attr *change, int what) {
    (void)pair, (void)change, (void)what;
    return fails() ? EINVAL : 0;
}

int ibv_destroy_qp(struct ibv_qp *pair) {
    return destroy(pair);
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *domain, struct ibv_ah_attr *way) {
    (void)way;
    return make(sizeof(struct ibv_ah), domain, NULL, NULL);
}

int ibv_destroy_ah(struct ibv_ah *address) {
    return destroy(address);
}

/* ---- The connection manager, as far as a lane with a resolved address needs it. */

int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *domain, struct ibv_qp_init_attr *wanted) {
    id->qp = ibv_create_qp(domain, wanted);
    return id->qp != NULL ? 0 : -1;
}

void rdma_destroy_qp(struct rdma_cm_id *id) {
    ibv_destroy_qp(id->qp);
    id->qp = NULL;
}

int rdma_disconnect(struct rdma_cm_id *id) {
    (void)id;
    flushed = 1;
    return fails() ? -1 : 0;
}

int rdma_destroy_id(struct rdma_cm_id *id) {
    return destroy(id);
}

struct rdma_event_channel *rdma_create_event_channel(void) {
    struct rdma_event_channel *channel = make(sizeof *channel, NULL, NULL, NULL);
    if (channel != NULL) {
        channel->fd = eventfd(0, EFD_CLOEXEC);
    }
    return channel;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel) {
    close(channel->fd);
    forget(channel);
    free(channel);
}

/* ---- Functions that tests call. */

/* Resets all records. The call with this number fails. 0 means no failure. */
STAND_IN(void, begin, jint call) {
    for (int index = 0; index < MOST; index++) {
        if (things[index].at != NULL && !things[index].is_mapping) {
            free(things[index].at);
        }
    }
    memset(things, 0, sizeof things);
    calls = mistakes = held_on = posted_count = flushed = 0;
    failing = call;
}

STAND_IN(jint, calls) {
    return calls;
}

/* Returns how often an unknown object was released, or memory with a wrong length. */
STAND_IN(jint, mistakes) {
    return mistakes;
}

/* Returns whether the device kept an object because a call to release it failed. */
STAND_IN(jboolean, heldOn) {
    return (jboolean)held_on;
}

/* Returns the number of remaining mappings or objects of the device. */
STAND_IN(jint, left, jboolean mappings) {
    int count = 0;
    for (int index = 0; index < MOST; index++) {
        count += things[index].at != NULL && things[index].is_mapping == mappings;
    }
    return count;
}

/* Returns a connection whose address has been resolved to the device. */
STAND_IN(jlong, resolved, jlong context) {
    struct rdma_cm_id *id = add(calloc(1, sizeof *id), 0, 0, NULL, NULL, NULL);
    id->verbs = POINTER(struct ibv_context, context);
    return HANDLE(id);
}
