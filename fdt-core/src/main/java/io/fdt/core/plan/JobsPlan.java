package io.fdt.core.plan;

import io.fdt.core.failure.Cause;
import org.jspecify.annotations.Nullable;

/**
 * What to do with the copies that a server makes for this key and that outlive their clients. Immutable.
 *
 * @param job its id; empty to list all
 * @param receipt the file for the receipt of a job that is waited for; null for none
 */
public record JobsPlan(
        String host,
        int port,
        Action action,
        String job,
        long timeoutMs,
        @Nullable RawPath receipt) {
    /** Of an id. */
    public static final int MAX_JOB_CHARS = 128;

    public JobsPlan {
        if (job.length() > MAX_JOB_CHARS) {
            throw Cause.MISSING
                    .advise("fdt jobs fdt://HOST lists the jobs there are")
                    .failure("no job has an id of " + job.length() + " characters");
        }
    }

    public JobsPlan(String host, int port, Action action, String job, long timeoutMs) {
        this(host, port, action, job, timeoutMs, null);
    }

    /** Codes on the wire are the ordinals. */
    public enum Action {
        LIST,
        /** Follow the copy to its end. */
        WAIT,
        /** Stop the copy in a resumable state, and wait for that. */
        CANCEL
    }
}
