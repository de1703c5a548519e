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
     * @param soFar what would be in the summary now; the rate is computed from what was sent
     */
    public record Bytes(long total, long done, Summary.Bytes soFar) {
        public Moved moved() {
            return soFar.moved();
        }

        /** What is in place or has arrived; of the latter never more than there is. */
        public long shown() {
            long shown = done + moved().arrivedOnly();
            return total < 0 ? shown : Math.max(done, Math.min(total, shown));
        }
    }

    /** The progress of what has not begun. */
    public static final Progress NONE =
            new Progress(new Files(0, 0, 0, 0), new Bytes(0, 0, Summary.Bytes.NOTHING), 0, false, 0);

    public Progress after(long nanos) {
        return new Progress(files, bytes, lanesAlive, totalsFinal, nanos);
    }
}
