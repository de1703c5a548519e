package io.fdt.core.stats;

/**
 * A snapshot of a session's progress for display, taken at any time from any thread. Its numbers may be slightly
 * inconsistent.
 *
 * @param totalsFinal the walk has ended: the totals no longer grow
 */
public record Progress(Files files, Bytes bytes, int lanesAlive, boolean totalsFinal, long elapsedNanos) {
    public record Files(long total, long done, long failed, long skipped) {}

    /**
     * @param total of everything found so far that is to be in place at the end; -1 for a stream of unknown length
     * @param done in place: durable and acknowledged, skipped or resumed
     * @param moved acknowledged as durable in this session
     * @param sent over the lanes in this session, whether acknowledged or not; the rate is computed from it
     */
    public record Bytes(long total, long done, long moved, long sent) {}

    /** The progress of what has not begun. */
    public static final Progress NONE = new Progress(new Files(0, 0, 0, 0), new Bytes(0, 0, 0, 0), 0, false, 0);

    public Progress after(long nanos) {
        return new Progress(files, bytes, lanesAlive, totalsFinal, nanos);
    }
}
