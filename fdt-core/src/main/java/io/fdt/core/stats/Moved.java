package io.fdt.core.stats;

/**
 * How far the bytes of a session have got, each figure a part of the one before; only holes, which nobody sends, are
 * counted from {@code verified} on. A receiver knows of what was sent only what has arrived.
 *
 * @param sent over the lanes, with what was sent again
 * @param arrived at the receiver
 * @param verified in whole chunks that were written and have the digest of the source
 * @param durable flushed as requested, recorded and acknowledged; a rerun does not move it again
 * @param named in files that have their final names
 */
public record Moved(long sent, long arrived, long verified, long durable, long named) {
    public static final Moved NOTHING = all(0);

    /** Of work that has one figure only. */
    public static Moved all(long bytes) {
        return new Moved(bytes, bytes, bytes, bytes, bytes);
    }

    public Moved plus(Moved more) {
        return new Moved(
                sent + more.sent,
                arrived + more.arrived,
                verified + more.verified,
                durable + more.durable,
                named + more.named);
    }
}
