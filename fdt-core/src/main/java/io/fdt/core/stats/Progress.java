package io.fdt.core.stats;

/**
 * A snapshot of a session's progress for display, taken at any time from any thread. Its numbers may be slightly
 * inconsistent.
 *
 * @param bytesTotal of everything found so far that is to be in place at the end; -1 for a stream of unknown length
 * @param bytesDone in place: durable and acknowledged, skipped or resumed
 * @param bytesMoved acknowledged as durable in this session
 * @param bytesSent over the lanes in this session, whether acknowledged or not; the rate is computed from it
 * @param totalsFinal the walk has ended: the totals no longer grow
 */
public record Progress(
        long bytesTotal,
        long bytesDone,
        long bytesMoved,
        long bytesSent,
        long filesTotal,
        long filesDone,
        long filesFailed,
        long filesSkipped,
        int lanesAlive,
        boolean totalsFinal,
        long elapsedNanos) {
    public Progress after(long nanos) {
        return new Progress(
                bytesTotal,
                bytesDone,
                bytesMoved,
                bytesSent,
                filesTotal,
                filesDone,
                filesFailed,
                filesSkipped,
                lanesAlive,
                totalsFinal,
                nanos);
    }
}
