package io.fdt.core.stats;

/**
 * The state of a session; a consistent enough picture for people, taken at any time from any thread.
 *
 * @param bytesTotal of what was found so far and is to be in place at the end; -1 for a stream without a known end
 * @param bytesDone in place: durable and acknowledged, skipped or resumed
 * @param bytesMoved acknowledged as durable in this session
 * @param bytesSent over the lanes in this session, whether acknowledged yet or not: what a rate is taken of
 * @param totalsFinal the walk has ended: the totals will not grow any more
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
