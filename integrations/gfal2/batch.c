#define _GNU_SOURCE
#include "batch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/** How long a cancelled request may take to end. After that nobody waits for it. */
#define PATIENCE_US (30 * G_TIME_SPAN_SECOND)

/** How long a process may take to end by itself, in tenths of a second. */
#define END_TENTHS 30

struct batch {
    gfal2_context_t context;
    /** The process whose threads and whose fdt the fields below are of. */
    pid_t owner;
    GMutex lock;
    GCond changed;
    // All fields below are guarded by the lock.
    /** The one socket that is the process's standard input and output; -1 while there is none. */
    int socket;
    GThread *reader;
    /** Requests that wait for answers, by their id. */
    GHashTable *open;
    guint64 last_id;
};

struct request {
    batch *batch;
    guint64 id;
    GQueue answers;
    /** No more answers come, because the process has ended. */
    gboolean lost;
    /** Why it was cancelled, and when; 0 before. */
    int stopping;
    gint64 stopped_at;
};

GQuark fdt_quark(void) {
    return g_quark_from_static_string(GFAL2_QUARK_PLUGINS "::FDT");
}

const char *json_text(json_object *object, const char *name) {
    json_object *value = NULL;
    json_object_object_get_ex(object, name, &value);
    const char *text = json_object_get_string(value);
    return text == NULL ? "" : text;
}

gint64 json_number(json_object *object, const char *name) {
    json_object *value = NULL;
    json_object_object_get_ex(object, name, &value);
    return json_object_get_int64(value);
}

// ---- causes of failures

/** For failures without an errno. Other causes have the errno of their exit code. */
static const struct {
    const char *cause;
    int code;
} CAUSES[] = {
    {"missing", ENOENT},
    {"no-match", ENOENT},
    {"source", EINVAL},
    {"unreadable", EACCES},
    {"source-loop", ELOOP},
    {"path-too-long", ENAMETOOLONG},
    {"no-space", ENOSPC},
    {"quota", EDQUOT},
    {"read-only-file-system", EROFS},
    {"no-memory", ENOMEM},
    {"permission", EACCES},
    {"other-kind", EINVAL},
    {"exists", EEXIST},
    {"target-loop", ELOOP},
    {"name-too-long", ENAMETOOLONG},
    {"file-too-large", EFBIG},
    {"reader-gone", EPIPE},
    {"unknown-host", EHOSTUNREACH},
    {"refused-connection", ECONNREFUSED},
    {"no-route", EHOSTUNREACH},
    {"no-answer", ETIMEDOUT},
    {"host-limit", EMFILE},
};

/** The number of an error by its name; 0 if there is none. */
static int errno_named(const char *name) {
    for (int code = 1; code <= EHWPOISON; code++) {
        const char *known = strerrorname_np(code);
        if (known != NULL && strcmp(known, name) == 0) {
            return code;
        }
    }
    return 0;
}

static int errno_of(json_object *why) {
    gint64 exit_code = json_number(why, "exit_code");
    // A refusal is none of the kernel, whose EXDEV tells a server that a path leads out of its root.
    int named = exit_code == 7 ? 0 : errno_named(json_text(why, "errno"));
    if (named != 0) {
        return named;
    }
    const char *cause = json_text(why, "cause");
    for (size_t i = 0; i < G_N_ELEMENTS(CAUSES); i++) {
        if (strcmp(cause, CAUSES[i].cause) == 0) {
            return CAUSES[i].code;
        }
    }
    switch (exit_code) {
        case 2: return EINVAL;
        case 7: return EACCES;
        case 8:
        case 9: return ECOMM;
        case 10: return EDQUOT;
        case 11: return EBUSY;
        case 12: return EPROTO;
        case 130:
        case 143: return ECANCELED;
        default: return EIO;
    }
}

// ---- the process

static void reset(batch *batch) {
    batch->owner = getpid();
    batch->socket = -1;
    batch->reader = NULL;
    batch->open = g_hash_table_new(g_int64_hash, g_int64_equal);
    g_mutex_init(&batch->lock);
    g_cond_init(&batch->changed);
}

/** In a forked process, which lacks the thread that reads and may find the lock held for ever, begins anew. */
static void take_over(batch *batch) {
    if (batch->owner != getpid()) {
        // Not shut down, because the process that was forked still uses it.
        if (batch->socket >= 0) {
            close(batch->socket);
        }
        reset(batch);
    }
}

/** Gives each answer to its request, until the process ends. */
static void read_answers(batch *batch) {
    g_mutex_lock(&batch->lock);
    int own = fcntl(batch->socket, F_DUPFD_CLOEXEC, 0);
    g_mutex_unlock(&batch->lock);
    FILE *in = own < 0 ? NULL : fdopen(own, "r");
    char *line = NULL;
    size_t room = 0;
    while (in != NULL && getline(&line, &room, in) > 0) {
        json_object *answer = json_tokener_parse(line);
        if (answer == NULL) {
            gfal2_log(G_LOG_LEVEL_WARNING, "fdt batch wrote a line that is not JSON");
            continue;
        }
        guint64 id = (guint64)json_number(answer, "id");
        g_mutex_lock(&batch->lock);
        struct request *request = g_hash_table_lookup(batch->open, &id);
        if (request != NULL) {
            g_queue_push_tail(&request->answers, answer);
            g_cond_broadcast(&batch->changed);
        } else {
            json_object_put(answer);
        }
        g_mutex_unlock(&batch->lock);
    }
    free(line);
    if (in != NULL) {
        fclose(in);
    } else if (own >= 0) {
        close(own);
    }
}

/** Ends all requests, which get no more answers. */
static void lose(batch *batch) {
    g_mutex_lock(&batch->lock);
    close(batch->socket);
    batch->socket = -1;
    GHashTableIter iterator;
    gpointer request = NULL;
    g_hash_table_iter_init(&iterator, batch->open);
    while (g_hash_table_iter_next(&iterator, NULL, &request)) {
        ((struct request *)request)->lost = TRUE;
    }
    g_cond_broadcast(&batch->changed);
    g_mutex_unlock(&batch->lock);
}

/** The start of a process, by the thread that reads its answers. */
struct beginning {
    batch *batch;
    gchar **words;
    int socket;
    GError *failure;
    gboolean done;
};

/** A copy must not outlive a program that was killed, which may be started again. */
static void end_with_parent(gpointer data) {
    (void)data;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

/** Starts the process and stays for its life, because the kernel ends it with the thread that started it. */
static gpointer keep_process(gpointer data) {
    struct beginning *beginning = data;
    batch *batch = beginning->batch;
    GPid process = 0;
    gboolean started = g_spawn_async_with_fds(NULL, beginning->words, NULL,
                                              G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, end_with_parent, NULL,
                                              &process, beginning->socket, beginning->socket, -1, &beginning->failure);
    close(beginning->socket);
    g_mutex_lock(&batch->lock);
    beginning->done = TRUE;
    g_cond_broadcast(&batch->changed);
    g_mutex_unlock(&batch->lock);
    if (started) {
        read_answers(batch);
    }
    lose(batch);
    int left = started ? END_TENTHS : 0;
    while (left > 0 && waitpid(process, NULL, WNOHANG) == 0) {
        g_usleep(G_USEC_PER_SEC / 10);
        left--;
        if (left == 0) {
            kill(process, SIGTERM);
            waitpid(process, NULL, 0);
        }
    }
    return NULL;
}

/** Starts the process if there is none. */
static gboolean start(batch *batch, GError **error) {
    if (batch->socket >= 0) {
        return TRUE;
    }
    if (batch->reader != NULL) {
        // Giving up the socket was the last that it did with the lock.
        g_thread_join(batch->reader);
        batch->reader = NULL;
    }
    gchar *command = gfal2_get_opt_string_with_default(batch->context, "FDT PLUGIN", "COMMAND", "fdt");
    struct beginning beginning = {.batch = batch};
    int ends[2] = {-1, -1};
    gint count = 0;
    if (g_shell_parse_argv(command, &count, &beginning.words, &beginning.failure)) {
        beginning.words = g_renew(gchar *, beginning.words, count + 2);
        beginning.words[count] = g_strdup("batch");
        beginning.words[count + 1] = NULL;
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
            g_set_error(&beginning.failure, fdt_quark(), errno, "no socket for fdt: %s", g_strerror(errno));
        } else {
            // What other threads send meanwhile waits in the socket.
            batch->socket = ends[0];
            beginning.socket = ends[1];
            batch->reader = g_thread_new("fdt-gfal2", keep_process, &beginning);
            while (!beginning.done) {
                g_cond_wait(&batch->changed, &batch->lock);
            }
        }
    }
    gboolean started = beginning.failure == NULL;
    if (!started) {
        g_set_error(error, fdt_quark(), ENOEXEC, "cannot start '%s': %s; see COMMAND in fdt_plugin.conf", command,
                    beginning.failure->message);
        g_error_free(beginning.failure);
    }
    g_strfreev(beginning.words);
    g_free(command);
    return started;
}

static void send_line(batch *batch, json_object *line) {
    gchar *text = g_strconcat(json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN), "\n", NULL);
    size_t length = strlen(text), done = 0;
    while (batch->socket >= 0 && done < length) {
        ssize_t sent = send(batch->socket, text + done, length - done, MSG_NOSIGNAL);
        if (sent >= 0) {
            done += (size_t)sent;
        } else if (errno != EINTR) {
            // The reader notices, and ends all requests.
            shutdown(batch->socket, SHUT_RDWR);
            break;
        }
    }
    g_free(text);
    json_object_put(line);
}

static void stop(struct request *request, int why) {
    if (request->stopping == 0) {
        request->stopping = why;
        request->stopped_at = g_get_monotonic_time();
        json_object *line = json_object_new_object();
        json_object_object_add(line, "id", json_object_new_int64((gint64)++request->batch->last_id));
        json_object_object_add(line, "op", json_object_new_string("cancel"));
        json_object_object_add(line, "request", json_object_new_int64((gint64)request->id));
        send_line(request->batch, line);
        g_cond_broadcast(&request->batch->changed);
    }
}

static void on_cancel(gfal2_context_t context, void *data) {
    (void)context;
    struct request *request = data;
    g_mutex_lock(&request->batch->lock);
    stop(request, ECANCELED);
    g_mutex_unlock(&request->batch->lock);
}

/** Waits for the next answer; NULL if no more will come. */
static json_object *next_answer(struct request *request, gint64 deadline) {
    batch *batch = request->batch;
    g_mutex_lock(&batch->lock);
    json_object *answer = NULL;
    for (;;) {
        answer = g_queue_pop_head(&request->answers);
        if (answer != NULL || request->lost) {
            break;
        }
        gint64 until = request->stopping == 0 ? deadline : request->stopped_at + PATIENCE_US;
        if (g_get_monotonic_time() < until) {
            g_cond_wait_until(&batch->changed, &batch->lock, until);
        } else if (request->stopping == 0) {
            stop(request, ETIMEDOUT);
        } else {
            break;
        }
    }
    g_mutex_unlock(&batch->lock);
    return answer;
}

// ---- requests

/** Sets the error of a request that has failed. What happened to a path says more than the last answer. */
static void fail(struct request *request, json_object *last, json_object *path, int *exit_code, GError **error) {
    json_object *why = path == NULL ? last : path;
    const char *message = path != NULL ? json_text(path, "reason") : json_text(last, "message");
    if (exit_code != NULL) {
        *exit_code = why == NULL ? 0 : (int)json_number(why, "exit_code");
    }
    if (request->stopping == ECANCELED) {
        g_set_error(error, fdt_quark(), ECANCELED, "cancelled");
    } else if (request->stopping != 0) {
        g_set_error(error, fdt_quark(), ETIMEDOUT, "took too long and was cancelled");
    } else if (why == NULL) {
        g_set_error(error, fdt_quark(), ECOMM, "the process fdt batch has ended; see what it wrote to standard error");
    } else {
        g_set_error(error, fdt_quark(), errno_of(why), "%s", message);
    }
}

gboolean batch_run(batch *batch, json_object *fields, guint64 seconds, answer_taker taker, void *data, int *exit_code,
                   GError **error) {
    struct request request = {.batch = batch, .answers = G_QUEUE_INIT};
    gint64 deadline = G_MAXINT64;
    if (seconds > 0 && seconds < G_MAXINT32) {
        deadline = g_get_monotonic_time() + (gint64)seconds * G_TIME_SPAN_SECOND;
    }
    if (exit_code != NULL) {
        *exit_code = 0;
    }
    take_over(batch);
    g_mutex_lock(&batch->lock);
    gboolean started = start(batch, error);
    if (started) {
        request.id = ++batch->last_id;
        g_hash_table_insert(batch->open, &request.id, &request);
        json_object_object_add(fields, "id", json_object_new_int64((gint64)request.id));
        send_line(batch, fields);
        request.lost = batch->socket < 0;
    }
    g_mutex_unlock(&batch->lock);
    if (!started) {
        json_object_put(fields);
        return FALSE;
    }
    gfal_cancel_token_t token = gfal2_register_cancel_callback(batch->context, on_cancel, &request);
    if (gfal2_is_canceled(batch->context)) {
        on_cancel(batch->context, &request);
    }

    json_object *path = NULL, *last = NULL;
    gboolean done = FALSE;
    while (last == NULL) {
        json_object *answer = next_answer(&request, deadline);
        if (answer == NULL) {
            break;
        }
        const char *type = json_text(answer, "type");
        done = strcmp(type, "done") == 0;
        if (done || strcmp(type, "error") == 0) {
            last = answer;
        } else if (path == NULL && strcmp(type, "file") == 0 && json_number(answer, "exit_code") != 0) {
            path = answer;
        } else {
            if (taker != NULL) {
                taker(answer, data);
            }
            json_object_put(answer);
        }
    }

    gfal2_remove_cancel_callback(batch->context, token);
    g_mutex_lock(&batch->lock);
    g_hash_table_remove(batch->open, &request.id);
    g_mutex_unlock(&batch->lock);
    for (json_object *late; (late = g_queue_pop_head(&request.answers)) != NULL;) {
        json_object_put(late);
    }
    if (!done) {
        fail(&request, last, path, exit_code, error);
    }
    json_object_put(path);
    json_object_put(last);
    return done;
}

// ---- the beginning and the end

batch *batch_new(gfal2_context_t context) {
    batch *batch = g_new0(struct batch, 1);
    batch->context = context;
    reset(batch);
    return batch;
}

void batch_free(batch *batch) {
    take_over(batch);
    g_mutex_lock(&batch->lock);
    if (batch->socket >= 0) {
        shutdown(batch->socket, SHUT_RDWR);
    }
    g_mutex_unlock(&batch->lock);
    if (batch->reader != NULL) {
        g_thread_join(batch->reader);
    }
    g_hash_table_destroy(batch->open);
    g_mutex_clear(&batch->lock);
    g_cond_clear(&batch->changed);
    g_free(batch);
}
