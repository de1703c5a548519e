// A file of a server that is read by parts, ahead of the program.
#ifndef FDT_GFAL2_READING_H
#define FDT_GFAL2_READING_H

#include "batch.h"

typedef struct reading reading;

/**
 * Opens a file, and reads its first part.
 *
 * @param batch outlives the file
 * @param seconds for each request at most, unless they are 0
 */
reading *reading_open(batch *batch, guint64 seconds, const char *url, GError **error);

/** Reads where the last such call, or seeking, ended; returns 0 at the end of the file. Thread-safe, like the others. */
ssize_t reading_next(reading *reading, void *buffer, size_t count, GError **error);

ssize_t reading_at(reading *reading, void *buffer, size_t count, off_t offset, GError **error);

/** Returns the new position; -1 with EINVAL if there is none. */
off_t reading_seek(reading *reading, off_t offset, int whence, GError **error);

void reading_close(reading *reading);

#endif
