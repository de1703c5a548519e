#define _GNU_SOURCE
#include "reading.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/** What one request reads: the least, of a program that reads in order up to the most, and of one that reads at once. */
#define LEAST (128 * 1024)
#define MOST_AHEAD (8 * 1024 * 1024)
#define MOST (64 * 1024 * 1024)

struct reading {
    batch *batch;
    guint64 seconds;
    gchar *url;
    /** The process whose memory this is. */
    pid_t owner;
    GMutex lock;
    // All fields below are guarded by the lock.
    off_t size, position;
    /** Memory that fdt writes to, with the bytes of the file from an offset on. */
    int memory;
    off_t from;
    size_t held, ahead;
};

static void take_entry(json_object *answer, void *data) {
    *(off_t *)data = json_number(answer, "bytes");
}

/** In a forked process, which must not share the memory and may find the lock held for ever, begins anew. */
static void take_over(reading *file) {
    if (file->owner != getpid()) {
        close(file->memory);
        file->memory = -1;
        file->held = 0;
        file->owner = getpid();
        g_mutex_init(&file->lock);
    }
}

static gboolean fetch(reading *file, off_t offset, size_t length, GError **error) {
    file->held = 0;
    if (file->memory < 0) {
        file->memory = memfd_create("fdt", MFD_CLOEXEC);
    }
    if (file->memory < 0 || ftruncate(file->memory, 0) != 0) {
        g_set_error(error, fdt_quark(), errno, "no memory for the data: %s", g_strerror(errno));
        return FALSE;
    }
    gchar *range = g_strdup_printf("%lld:%zu", (long long)offset, length);
    gchar *into = g_strdup_printf("/proc/%d/fd/%d", (int)getpid(), file->memory);
    json_object *request = json_object_new_object();
    json_object_object_add(request, "op", json_object_new_string("read"));
    json_object_object_add(request, "path", json_object_new_string(file->url));
    json_object_object_add(request, "ranges", json_object_new_string(range));
    json_object_object_add(request, "into", json_object_new_string(into));
    g_free(range);
    g_free(into);
    off_t size = 0;
    struct stat stat;
    if (!batch_run(file->batch, request, file->seconds, take_entry, &size, NULL, error)) {
        return FALSE;
    }
    if (fstat(file->memory, &stat) != 0) {
        g_set_error(error, fdt_quark(), errno, "cannot look at the data: %s", g_strerror(errno));
        return FALSE;
    }
    file->size = size;
    file->from = offset;
    file->held = (size_t)stat.st_size;
    return TRUE;
}

reading *reading_open(batch *batch, guint64 seconds, const char *url, GError **error) {
    reading *file = g_new0(struct reading, 1);
    file->batch = batch;
    file->seconds = seconds;
    file->url = g_strdup(url);
    file->owner = getpid();
    file->memory = -1;
    file->ahead = LEAST;
    g_mutex_init(&file->lock);
    if (!fetch(file, 0, LEAST, error)) {
        reading_close(file);
        return NULL;
    }
    return file;
}

/** With the lock. */
static ssize_t read_at(reading *file, void *buffer, size_t count, off_t offset, GError **error) {
    if (offset < 0) {
        g_set_error(error, fdt_quark(), EINVAL, "%s: the offset is negative", file->url);
        return -1;
    }
    if (count == 0 || offset >= file->size) {
        return 0;
    }
    if (offset < file->from || offset >= file->from + (off_t)file->held) {
        // Twice as much for a program that reads in order, and no more than it wants for another.
        gboolean in_order = file->held > 0 && offset == file->from + (off_t)file->held;
        file->ahead = in_order ? MIN(2 * file->ahead, MOST_AHEAD) : LEAST;
        if (!fetch(file, offset, MIN(MAX(count, file->ahead), MOST), error)) {
            return -1;
        }
    }
    off_t skipped = offset - file->from;
    ssize_t done = pread(file->memory, buffer, MIN(count, file->held - (size_t)skipped), skipped);
    if (done < 0) {
        g_set_error(error, fdt_quark(), errno, "cannot take the data: %s", g_strerror(errno));
    }
    return done;
}

ssize_t reading_at(reading *file, void *buffer, size_t count, off_t offset, GError **error) {
    take_over(file);
    g_mutex_lock(&file->lock);
    ssize_t done = read_at(file, buffer, count, offset, error);
    g_mutex_unlock(&file->lock);
    return done;
}

ssize_t reading_next(reading *file, void *buffer, size_t count, GError **error) {
    take_over(file);
    g_mutex_lock(&file->lock);
    ssize_t done = read_at(file, buffer, count, file->position, error);
    file->position += MAX(done, 0);
    g_mutex_unlock(&file->lock);
    return done;
}

off_t reading_seek(reading *file, off_t offset, int whence, GError **error) {
    take_over(file);
    g_mutex_lock(&file->lock);
    off_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file->position : file->size;
    gboolean possible = whence == SEEK_SET || whence == SEEK_CUR || whence == SEEK_END;
    off_t position = -1;
    if (possible && !__builtin_add_overflow(base, offset, &position) && position >= 0) {
        file->position = position;
    } else {
        position = -1;
        g_set_error(error, fdt_quark(), EINVAL, "%s: no such position", file->url);
    }
    g_mutex_unlock(&file->lock);
    return position;
}

void reading_close(reading *file) {
    take_over(file);
    if (file->memory >= 0) {
        close(file->memory);
    }
    g_mutex_clear(&file->lock);
    g_free(file->url);
    g_free(file);
}
