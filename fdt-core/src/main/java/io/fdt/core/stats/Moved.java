package io.fdt.core.stats;

import io.fdt.core.basic.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;

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

    /** What a receiver may still lose if it stops now. */
    public long arrivedOnly() {
        return Math.max(0, arrived - durable);
    }

    /** The figures by their words, in order. */
    public Map<String, Long> figures() {
        Map<String, Long> figures = new LinkedHashMap<>();
        figures.put("sent", sent);
        figures.put("arrived", arrived);
        figures.put("verified", verified);
        figures.put("durable", durable);
        figures.put("final", named);
        return figures;
    }

    public JsonObject json() {
        JsonObject json = new JsonObject();
        figures().forEach((word, bytes) -> json.with("bytes_" + word, bytes));
        return json;
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
