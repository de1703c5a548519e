// The process "fdt batch" of a gfal2 context: requests and answers are JSON objects, one a line.
#ifndef FDT_GFAL2_BATCH_H
#define FDT_GFAL2_BATCH_H

#include <gfal_plugins_api.h>
#include <json.h>

typedef struct batch batch;

/** Takes an answer to a request, on the thread that made the request. */
typedef void (*answer_taker)(json_object *answer, void *data);

/** The context outlives the batch. The process starts with the first request. */
batch *batch_new(gfal2_context_t context);

/** Ends the process. No request may be running. */
void batch_free(batch *batch);

/**
 * Runs a request and waits for its end, for at most so many seconds unless they are 0. Any number of threads may have
 * requests at once. If the context is cancelled, so is the request.
 *
 * @param fields of the request besides its id; this releases them
 * @param exit_code of fdt if it failed, 0 if it did not run; may be NULL
 * @return whether it succeeded; if not, the code of the error is an errno
 */
gboolean batch_run(batch *batch, json_object *fields, guint64 seconds, answer_taker taker, void *data, int *exit_code,
                   GError **error);

GQuark fdt_quark(void);

const char *json_text(json_object *object, const char *name);

gint64 json_number(json_object *object, const char *name);

#endif
