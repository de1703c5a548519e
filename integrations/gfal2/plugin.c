// The gfal2 plug-in for fdt://HOST[:PORT]/PATH. In paths, % and ? have no special meaning.
#define _GNU_SOURCE
#include "batch.h"
#include "reading.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCHEME "fdt://"
#define LOCAL "file://"
#define NAMESPACE_SECONDS 300
#define CHECKSUM_SECONDS 1800
#define MAX_LINKS 16
#define MAX_LANES 256
#define DEFAULT_CHECKSUM "adler32"

struct plugin {
    gfal2_context_t context;
    batch *batch;
};

static const char *name(void) {
    return GFAL2_PLUGIN_VERSIONED("fdt", VERSION);
}

static gboolean is_remote(const char *url) {
    return g_str_has_prefix(url, SCHEME);
}

static gboolean is_local(const char *url) {
    return g_str_has_prefix(url, LOCAL "/");
}

static const char *local_path(const char *url) {
    return url + strlen(LOCAL);
}

/** The path of a URL, or its end if it has none. */
static const char *path_of(const char *url) {
    const char *from = url + strlen(SCHEME);
    return from + strcspn(from, "/");
}

static gboolean of_one_server(const char *url, const char *other) {
    size_t length = (size_t)(path_of(url) - url);
    return (size_t)(path_of(other) - other) == length && strncmp(url, other, length) == 0;
}

static gchar *parent_of(const char *url) {
    gchar *server = g_strndup(url, (gsize)(path_of(url) - url)), *directory = g_path_get_dirname(path_of(url));
    gchar *parent = g_strconcat(server, directory, NULL);
    g_free(server);
    g_free(directory);
    return parent;
}

// ---- requests

static json_object *request_of(const char *op) {
    json_object *request = json_object_new_object();
    json_object_object_add(request, "op", json_object_new_string(op));
    return request;
}

static void add_text(json_object *request, const char *field, const char *text) {
    json_object_object_add(request, field, json_object_new_string(text));
}

static json_object *request_for(const char *op, const char *url) {
    json_object *request = request_of(op);
    add_text(request, "path", url);
    return request;
}

static guint64 seconds(struct plugin *plugin, const char *option, gint usual) {
    gint seconds = gfal2_get_opt_integer_with_default(plugin->context, CORE_CONFIG_GROUP, option, usual);
    return seconds > 0 ? (guint64)seconds : 0;
}

static int run(struct plugin *plugin, json_object *request, answer_taker taker, void *data, GError **error) {
    guint64 limit = seconds(plugin, CORE_CONFIG_NAMESPACE_TIMEOUT, NAMESPACE_SECONDS);
    return batch_run(plugin->batch, request, limit, taker, data, NULL, error) ? 0 : -1;
}

static int refuse(GError **error, int code, const char *url, const char *why) {
    g_set_error(error, fdt_quark(), code, "%s: %s", url, why);
    return -1;
}

// ---- what is at a path

struct found {
    struct stat stat;
    gchar *link_target;
};

static void fill(struct stat *stat, json_object *entry) {
    memset(stat, 0, sizeof(*stat));
    const char *kind = json_text(entry, "kind");
    stat->st_mode = strcmp(kind, "dir") == 0 ? S_IFDIR : strcmp(kind, "link") == 0 ? S_IFLNK : S_IFREG;
    stat->st_mode |= (mode_t)strtoul(json_text(entry, "mode"), NULL, 8);
    stat->st_nlink = 1;
    stat->st_size = json_number(entry, "bytes");
    GDateTime *time = g_date_time_new_from_iso8601(json_text(entry, "mtime"), NULL);
    if (time != NULL) {
        stat->st_mtim.tv_sec = g_date_time_to_unix(time);
        stat->st_mtim.tv_nsec = g_date_time_get_microsecond(time) * 1000L;
        stat->st_atim = stat->st_ctim = stat->st_mtim;
        g_date_time_unref(time);
    }
}

static void take_found(json_object *entry, void *data) {
    struct found *found = data;
    fill(&found->stat, entry);
    g_free(found->link_target);
    found->link_target = S_ISLNK(found->stat.st_mode) ? g_strdup(json_text(entry, "target")) : NULL;
}

/** Follows links with relative targets; others lead out of what fdt exports, and stay what they are. */
static int look(struct plugin *plugin, const char *url, gboolean follow, struct stat *stat, GError **error) {
    gchar *at = g_strdup(url);
    struct found found = {.link_target = NULL};
    int result = run(plugin, request_for("stat", at), take_found, &found, error);
    for (int links = 0; result == 0 && follow && found.link_target != NULL && found.link_target[0] != '/'; links++) {
        gchar *parent = parent_of(at);
        g_free(at);
        at = g_strconcat(parent, "/", found.link_target, NULL);
        g_free(parent);
        g_clear_pointer(&found.link_target, g_free);
        result = links < MAX_LINKS ? run(plugin, request_for("stat", at), take_found, &found, error)
                                   : refuse(error, ELOOP, url, "too many levels of symbolic links");
    }
    g_free(found.link_target);
    g_free(at);
    *stat = found.stat;
    return result;
}

static int do_stat(plugin_handle plugin, const char *url, struct stat *stat, GError **error) {
    return look(plugin, url, TRUE, stat, error);
}

static int do_lstat(plugin_handle plugin, const char *url, struct stat *stat, GError **error) {
    return look(plugin, url, FALSE, stat, error);
}

/** Only whether it is there: what a key may do becomes known by trying. */
static int do_access(plugin_handle plugin, const char *url, int mode, GError **error) {
    (void)mode;
    struct stat stat;
    return do_stat(plugin, url, &stat, error);
}

struct sum {
    const char *type;
    gchar *value;
};

static void take_sum(json_object *answer, void *data) {
    struct sum *sum = data;
    json_object *checksums = NULL;
    if (json_object_object_get_ex(answer, "checksums", &checksums)) {
        g_free(sum->value);
        sum->value = g_strdup(json_text(checksums, sum->type));
    }
}

/** @param path a URL, or a path of this host */
static gchar *sum_of(struct plugin *plugin, const char *path, const char *type, GError **error) {
    struct sum sum = {.type = type, .value = NULL};
    json_object *request = request_for("sum", path);
    add_text(request, "type", type);
    int exit_code = 0;
    GError *failure = NULL;
    guint64 limit = seconds(plugin, CORE_CONFIG_CHECKSUM_TIMEOUT, CHECKSUM_SECONDS);
    if (!batch_run(plugin->batch, request, limit, take_sum, &sum, &exit_code, &failure)) {
        if (exit_code == 2) {
            failure->code = ENOSYS;
        }
        g_propagate_error(error, failure);
        g_clear_pointer(&sum.value, g_free);
    } else if (sum.value == NULL) {
        refuse(error, EIO, path, "there is no checksum of it");
    }
    return sum.value;
}

static int do_checksum(plugin_handle plugin, const char *url, const char *type, char *buffer, size_t room,
                       off_t offset, size_t length, GError **error) {
    if (offset != 0 || length != 0) {
        return refuse(error, ENOSYS, url, "fdt computes checksums of whole files only");
    }
    gchar *lower = g_ascii_strdown(type, -1), *value = sum_of(plugin, url, lower, error);
    g_free(lower);
    int result = value == NULL ? -1 : 0;
    if (value != NULL && g_strlcpy(buffer, value, room) >= room) {
        result = refuse(error, ENOBUFS, url, "the checksum is longer than the buffer");
    }
    g_free(value);
    return result;
}

// ---- changes

static int do_mkdir(plugin_handle plugin, const char *url, mode_t mode, gboolean parents, GError **error) {
    (void)mode;
    json_object *request = request_for("mkdir", url);
    json_object_object_add(request, "parents", json_object_new_boolean(parents));
    return run(plugin, request, NULL, NULL, error);
}

/** The server removes a directory without "recursive" only if it is empty. */
static int do_rmdir(plugin_handle plugin, const char *url, GError **error) {
    struct stat stat;
    if (do_lstat(plugin, url, &stat, error) != 0) {
        return -1;
    }
    return S_ISDIR(stat.st_mode) ? run(plugin, request_for("remove", url), NULL, NULL, error)
                                 : refuse(error, ENOTDIR, url, "is no directory");
}

static int do_unlink(plugin_handle plugin, const char *url, GError **error) {
    struct stat stat;
    if (do_lstat(plugin, url, &stat, error) != 0) {
        return -1;
    }
    return S_ISDIR(stat.st_mode) ? refuse(error, EISDIR, url, "is a directory")
                                 : run(plugin, request_for("remove", url), NULL, NULL, error);
}

static int do_rename(plugin_handle plugin, const char *from, const char *to, GError **error) {
    if (!is_remote(to) || !of_one_server(from, to)) {
        return refuse(error, EXDEV, to, "is on another server");
    }
    json_object *request = request_of("move");
    add_text(request, "from", from);
    add_text(request, "to", to);
    return run(plugin, request, NULL, NULL, error);
}

// ---- directories

struct entry {
    struct stat stat;
    gchar name[];
};

struct directory {
    GQueue entries;
    struct dirent shown;
};

static void take_entry(json_object *answer, void *data) {
    struct directory *directory = data;
    const char *path = json_text(answer, "path");
    // The caller may make a local path of it, so a server must not lead it elsewhere.
    if (path[0] == '\0' || strchr(path, '/') != NULL || strcmp(path, ".") == 0 || strcmp(path, "..") == 0) {
        return;
    }
    struct entry *entry = g_malloc(sizeof(struct entry) + strlen(path) + 1);
    fill(&entry->stat, answer);
    memcpy(entry->name, path, strlen(path) + 1);
    g_queue_push_tail(&directory->entries, entry);
}

static void free_directory(struct directory *directory) {
    g_queue_clear_full(&directory->entries, g_free);
    g_free(directory);
}

static gfal_file_handle do_opendir(plugin_handle plugin, const char *url, GError **error) {
    struct stat stat;
    if (do_stat(plugin, url, &stat, error) != 0) {
        return NULL;
    }
    if (!S_ISDIR(stat.st_mode)) {
        refuse(error, ENOTDIR, url, "is no directory");
        return NULL;
    }
    struct directory *directory = g_new0(struct directory, 1);
    if (run(plugin, request_for("list", url), take_entry, directory, error) != 0) {
        free_directory(directory);
        return NULL;
    }
    return gfal_file_handle_new2(name(), directory, NULL, url);
}

static struct dirent *do_readdirpp(plugin_handle plugin, gfal_file_handle handle, struct stat *stat, GError **error) {
    (void)plugin;
    (void)error;
    struct directory *directory = gfal_file_handle_get_fdesc(handle);
    struct entry *entry = g_queue_pop_head(&directory->entries);
    if (entry == NULL) {
        return NULL;
    }
    if (stat != NULL) {
        *stat = entry->stat;
    }
    struct dirent *shown = &directory->shown;
    memset(shown, 0, sizeof(*shown));
    g_strlcpy(shown->d_name, entry->name, sizeof(shown->d_name));
    shown->d_type = S_ISDIR(entry->stat.st_mode) ? DT_DIR : S_ISLNK(entry->stat.st_mode) ? DT_LNK : DT_REG;
    shown->d_reclen = (unsigned short)sizeof(*shown);
    g_free(entry);
    return shown;
}

static struct dirent *do_readdir(plugin_handle plugin, gfal_file_handle handle, GError **error) {
    return do_readdirpp(plugin, handle, NULL, error);
}

static int do_closedir(plugin_handle plugin, gfal_file_handle handle, GError **error) {
    (void)plugin;
    (void)error;
    free_directory(gfal_file_handle_get_fdesc(handle));
    gfal_file_handle_delete(handle);
    return 0;
}

// ---- files that are read

static gfal_file_handle do_open(plugin_handle handle, const char *url, int flags, mode_t mode, GError **error) {
    (void)mode;
    struct plugin *plugin = handle;
    if ((flags & O_ACCMODE) != O_RDONLY) {
        refuse(error, ENOSYS, url, "files of fdt are written as a whole: copy them");
        return NULL;
    }
    GError *why = NULL;
    guint64 limit = seconds(plugin, CORE_CONFIG_NAMESPACE_TIMEOUT, NAMESPACE_SECONDS);
    reading *file = reading_open(plugin->batch, limit, url, &why);
    if (file != NULL) {
        return gfal_file_handle_new2(name(), file, NULL, url);
    }
    struct stat stat;
    if (why->code == EINVAL && do_stat(plugin, url, &stat, NULL) == 0 && S_ISDIR(stat.st_mode)) {
        why->code = EISDIR;
    }
    g_propagate_error(error, why);
    return NULL;
}

static ssize_t do_read(plugin_handle plugin, gfal_file_handle handle, void *buffer, size_t count, GError **error) {
    (void)plugin;
    return reading_next(gfal_file_handle_get_fdesc(handle), buffer, count, error);
}

static ssize_t do_pread(plugin_handle plugin, gfal_file_handle handle, void *buffer, size_t count, off_t offset,
                        GError **error) {
    (void)plugin;
    return reading_at(gfal_file_handle_get_fdesc(handle), buffer, count, offset, error);
}

static off_t do_lseek(plugin_handle plugin, gfal_file_handle handle, off_t offset, int whence, GError **error) {
    (void)plugin;
    return reading_seek(gfal_file_handle_get_fdesc(handle), offset, whence, error);
}

static ssize_t do_write(plugin_handle plugin, gfal_file_handle handle, const void *buffer, size_t count,
                        GError **error) {
    (void)plugin;
    (void)buffer;
    (void)count;
    return refuse(error, EBADF, gfal_file_handle_get_path(handle), "is open for reading");
}

static int do_close(plugin_handle plugin, gfal_file_handle handle, GError **error) {
    (void)plugin;
    (void)error;
    reading_close(gfal_file_handle_get_fdesc(handle));
    gfal_file_handle_delete(handle);
    return 0;
}

// ---- copies

static int do_check_transfer(plugin_handle plugin, gfal2_context_t context, const char *from, const char *to,
                             gfal_url2_check check) {
    (void)plugin;
    (void)context;
    return check == GFAL_FILE_COPY && (is_remote(from) || is_remote(to)) && (is_remote(from) || is_local(from)) &&
           (is_remote(to) || is_local(to));
}

struct copy {
    struct plugin *plugin;
    gfalt_params_t params;
    const char *from, *to;
    /** What fdt copies from and to: URLs and paths of this host. */
    const char *source;
    gchar *target;
    gfalt_checksum_mode_t mode;
    gchar type[64], expected[256];
    struct sum sum;
};

static int fail(const char *side, const char *note, GError *why, GError **error) {
    gfalt_set_error(error, fdt_quark(), why->code, __func__, side, note, "%s", why->message);
    g_error_free(why);
    return -1;
}

static int fail_with(const char *side, const char *note, int code, const char *message, GError **error) {
    return fail(side, note, g_error_new_literal(fdt_quark(), code, message), error);
}

/** Looks at a source or target, following links. */
static int look_at(struct copy *copy, const char *url, struct stat *at, GError **error) {
    if (is_remote(url)) {
        return do_stat(copy->plugin, url, at, error);
    }
    return stat(local_path(url), at) == 0 ? 0 : refuse(error, errno, local_path(url), g_strerror(errno));
}

/**
 * fdt would copy a directory, copy into one, and put a file in the place of a device. It would also expand patterns in
 * the path of a source, but not in one that exists.
 */
static int check_ends(struct copy *copy, GError **error) {
    struct stat at;
    GError *why = NULL;
    if (look_at(copy, copy->from, &at, &why) != 0) {
        return fail(GFALT_ERROR_SOURCE, NULL, why, error);
    }
    if (!S_ISREG(at.st_mode)) {
        return fail_with(GFALT_ERROR_SOURCE, NULL, S_ISDIR(at.st_mode) ? EISDIR : EINVAL, "is no regular file", error);
    }
    if (look_at(copy, copy->to, &at, &why) == 0) {
        if (!S_ISREG(at.st_mode)) {
            return fail_with(GFALT_ERROR_DESTINATION, NULL, S_ISDIR(at.st_mode) ? EISDIR : EINVAL, "is no regular file",
                             error);
        }
        return 0;
    }
    if (why->code != ENOENT) {
        return fail(GFALT_ERROR_DESTINATION, NULL, why, error);
    }
    g_clear_error(&why);
    if (gfalt_get_create_parent_dir(copy->params, NULL) || gfalt_get_strict_copy_mode(copy->params, NULL)) {
        return 0;
    }
    gchar *directory = is_remote(copy->to) ? parent_of(copy->to) : g_path_get_dirname(copy->to);
    int found = look_at(copy, directory, &at, &why);
    g_free(directory);
    return found == 0 ? 0 : fail(GFALT_ERROR_DESTINATION, GFALT_ERROR_PARENT, why, error);
}

/** The place of a local target, through links: fdt would put the file in the place of the link. */
static gchar *without_links(const char *path) {
    char *resolved = realpath(path, NULL);
    gchar *place = g_strdup(resolved == NULL ? path : resolved);
    free(resolved);
    return place;
}

static void take_copied(json_object *answer, void *data) {
    struct copy *copy = data;
    const char *type = json_text(answer, "type");
    if (strcmp(type, "progress") == 0) {
        json_object *rate = NULL, *elapsed = NULL;
        json_object_object_get_ex(answer, "bits_per_second", &rate);
        json_object_object_get_ex(answer, "seconds", &elapsed);
        double passed = json_object_get_double(elapsed);
        struct _gfalt_transfer_status status = {
            .bytes_transfered = (size_t)json_number(answer, "bytes"),
            .instant_baudrate = (size_t)(json_object_get_double(rate) / 8),
            .transfer_time = (time_t)passed,
        };
        status.average_baudrate = passed > 0 ? (size_t)((double)status.bytes_transfered / passed) : 0;
        plugin_trigger_monitor(copy->params, &status, copy->from, copy->to);
    } else if (strcmp(type, "file") == 0) {
        take_sum(answer, &copy->sum);
    } else if (strcmp(type, "warning") == 0) {
        gfal2_log(G_LOG_LEVEL_WARNING, "fdt: %s", json_text(answer, "message"));
    }
}

static void add_option(json_object *options, const char *option) {
    json_object_array_add(options, json_object_new_string(option));
}

static int transfer(struct copy *copy, gboolean sums_in_flight, GError **error) {
    json_object *request = request_of("copy"), *options = json_object_new_array();
    add_text(request, "from", copy->source);
    add_text(request, "to", copy->target);
    json_object_object_add(request, "files", json_object_new_boolean(TRUE));
    add_option(options, "--copy-links");
    add_option(options, "--existing");
    add_option(options, gfalt_get_replace_existing_file(copy->params, NULL) ? "overwrite" : "fail");
    guint lanes = gfalt_get_nbstreams(copy->params, NULL);
    if (lanes > 0) {
        gchar *number = g_strdup_printf("%u", MIN(lanes, MAX_LANES));
        add_option(options, "--lanes");
        add_option(options, number);
        g_free(number);
    }
    if (sums_in_flight) {
        add_option(options, "--checksum");
        add_option(options, copy->type);
    }
    json_object_object_add(request, "options", options);

    gboolean third_party = is_remote(copy->from) && is_remote(copy->to);
    plugin_trigger_event(copy->params, fdt_quark(), GFAL_EVENT_NONE, GFAL_EVENT_TRANSFER_ENTER, "(%s) => (%s)",
                         copy->from, copy->to);
    plugin_trigger_event(copy->params, fdt_quark(), GFAL_EVENT_NONE, GFAL_EVENT_TRANSFER_TYPE, "%s",
                         third_party ? GFAL_TRANSFER_TYPE_PUSH : GFAL_TRANSFER_TYPE_STREAMED);
    int exit_code = 0;
    GError *why = NULL;
    gboolean done = batch_run(copy->plugin->batch, request, gfalt_get_timeout(copy->params, NULL), take_copied, copy,
                              &exit_code, &why);
    plugin_trigger_event(copy->params, fdt_quark(), GFAL_EVENT_NONE, GFAL_EVENT_TRANSFER_EXIT, "(%s) => (%s)",
                         copy->from, copy->to);
    if (done) {
        return 0;
    }
    gboolean of_source = exit_code == 4, of_target = exit_code == 5;
    return fail(of_source ? GFALT_ERROR_SOURCE : of_target ? GFALT_ERROR_DESTINATION : GFALT_ERROR_TRANSFER, NULL, why,
                error);
}

/** Checksums of catalogues may lack leading zeros. */
static gboolean same_sum(const char *one, const char *other) {
    return g_ascii_strcasecmp(one + strspn(one, "0"), other + strspn(other, "0")) == 0;
}

static int compare(struct copy *copy, const char *side, const char *value, const char *expected, GError **error) {
    if (expected[0] == '\0' || same_sum(value, expected)) {
        return 0;
    }
    gchar *message = g_strdup_printf("%s %s was expected and is %s", copy->type, expected, value);
    fail_with(side, GFALT_ERROR_CHECKSUM_MISMATCH, EIO, message, error);
    g_free(message);
    return -1;
}

/** Computes the checksum of one end by reading it, and compares it. */
static gchar *check_end(struct copy *copy, gboolean source, const char *expected, GError **error) {
    const char *side = source ? GFALT_ERROR_SOURCE : GFALT_ERROR_DESTINATION;
    gfal_event_side_t event_side = source ? GFAL_EVENT_SOURCE : GFAL_EVENT_DESTINATION;
    const char *url = source ? copy->from : copy->to;
    GError *why = NULL;
    plugin_trigger_event(copy->params, fdt_quark(), event_side, GFAL_EVENT_CHECKSUM_ENTER, "%s", copy->type);
    gchar *value = sum_of(copy->plugin, is_remote(url) ? url : local_path(url), copy->type, &why);
    plugin_trigger_event(copy->params, fdt_quark(), event_side, GFAL_EVENT_CHECKSUM_EXIT, "%s=%s", copy->type,
                         value == NULL ? "" : value);
    if (value == NULL) {
        fail(side, GFALT_ERROR_CHECKSUM, why, error);
    } else if (compare(copy, side, value, expected, error) != 0) {
        g_clear_pointer(&value, g_free);
    }
    return value;
}

/** Both ends compute checksums that follow from those of parts while the bytes pass; other types need another read. */
static gboolean passes_in_flight(const char *type) {
    return strcmp(type, "adler32") == 0 || strcmp(type, "crc32c") == 0 || strcmp(type, "crc32") == 0;
}

static int copy_checked(struct copy *copy, GError **error) {
    if (copy->mode == GFALT_CHECKSUM_NONE) {
        return transfer(copy, FALSE, error);
    }
    if (passes_in_flight(copy->type)) {
        int done = transfer(copy, TRUE, error);
        if (done == 0 && copy->sum.value == NULL) {
            return fail_with(GFALT_ERROR_TRANSFER, GFALT_ERROR_CHECKSUM, EIO, "fdt reported no checksum", error);
        }
        return done == 0 ? compare(copy, GFALT_ERROR_TRANSFER, copy->sum.value, copy->expected, error) : done;
    }
    gchar *source = NULL, *target = NULL;
    if (copy->mode & GFALT_CHECKSUM_SOURCE) {
        source = check_end(copy, TRUE, copy->expected, error);
        if (source == NULL) {
            return -1;
        }
    }
    int done = transfer(copy, FALSE, error);
    if (done == 0 && (copy->mode & GFALT_CHECKSUM_TARGET)) {
        target = check_end(copy, FALSE, source != NULL ? source : copy->expected, error);
        done = target == NULL ? -1 : 0;
    }
    g_free(source);
    g_free(target);
    return done;
}

static int do_copy(plugin_handle plugin, gfal2_context_t context, gfalt_params_t params, const char *from,
                   const char *to, GError **error) {
    (void)context;
    struct copy copy = {.plugin = plugin, .params = params, .from = from, .to = to};
    copy.mode = gfalt_get_checksum(params, copy.type, sizeof(copy.type), copy.expected, sizeof(copy.expected), NULL);
    if (copy.type[0] == '\0') {
        g_strlcpy(copy.type, DEFAULT_CHECKSUM, sizeof(copy.type));
    }
    for (gchar *letter = copy.type; *letter != '\0'; letter++) {
        *letter = g_ascii_tolower(*letter);
    }
    copy.sum.type = copy.type;
    copy.source = is_remote(from) ? from : local_path(from);
    copy.target = is_remote(to) ? g_strdup(to) : without_links(local_path(to));
    int result = check_ends(&copy, error);
    if (result == 0) {
        result = copy_checked(&copy, error);
    }
    g_free(copy.target);
    g_free(copy.sum.value);
    return result;
}

// ---- the interface

static gboolean do_check_url(plugin_handle plugin, const char *url, plugin_mode mode, GError **error) {
    (void)plugin;
    (void)error;
    switch (mode) {
        case GFAL_PLUGIN_ACCESS:
        case GFAL_PLUGIN_RENAME:
        case GFAL_PLUGIN_STAT:
        case GFAL_PLUGIN_LSTAT:
        case GFAL_PLUGIN_MKDIR:
        case GFAL_PLUGIN_MKDIR_REC:
        case GFAL_PLUGIN_RMDIR:
        case GFAL_PLUGIN_OPENDIR:
        case GFAL_PLUGIN_OPEN:
        case GFAL_PLUGIN_UNLINK:
        case GFAL_PLUGIN_CHECKSUM: return is_remote(url) && g_utf8_validate(url, -1, NULL);
        default: return FALSE;
    }
}

static void do_delete(plugin_handle handle) {
    struct plugin *plugin = handle;
    batch_free(plugin->batch);
    g_free(plugin);
}

__attribute__((visibility("default"))) gfal_plugin_interface gfal_plugin_init(gfal2_context_t context, GError **error) {
    (void)error;
    struct plugin *plugin = g_new0(struct plugin, 1);
    plugin->context = context;
    plugin->batch = batch_new(context);
    return (gfal_plugin_interface){
        .plugin_data = plugin,
        .getName = name,
        .plugin_delete = do_delete,
        .check_plugin_url = do_check_url,
        .accessG = do_access,
        .renameG = do_rename,
        .statG = do_stat,
        .lstatG = do_lstat,
        .opendirG = do_opendir,
        .closedirG = do_closedir,
        .openG = do_open,
        .closeG = do_close,
        .readG = do_read,
        .preadG = do_pread,
        .lseekG = do_lseek,
        .writeG = do_write,
        .readdirG = do_readdir,
        .readdirppG = do_readdirpp,
        .mkdirpG = do_mkdir,
        .rmdirG = do_rmdir,
        .unlinkG = do_unlink,
        .checksum_calcG = do_checksum,
        .check_plugin_url_transfer = do_check_transfer,
        .copy_file = do_copy,
    };
}
