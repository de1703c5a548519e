package io.fdt.system;

import java.util.Random;

/**
 * A fault in one connection that occurs when its stream reaches an offset. Connections are numbered from 0 in the order
 * in which the proxy accepted them: 0 is a session's link, and the others are its lanes.
 */
sealed interface Fault {
    int EVERY_CONNECTION = -1;

    /** The connection that the fault affects, or {@link #EVERY_CONNECTION}. */
    int connection();

    Way way();

    /** Offset of the first affected byte, from the start of the stream in that direction. */
    long offset();

    default boolean concerns(int index, Way direction) {
        return way() == direction && (connection() == index || connection() == EVERY_CONNECTION);
    }

    /** The direction of a stream. */
    enum Way {
        TO_SERVER,
        TO_CLIENT
    }

    /** How a connection ends. */
    enum Ending {
        /** With an RST, as when a host or a firewall drops the connection. */
        RESET,
        /** With a FIN in both directions, as when a process ends. */
        CLOSE
    }

    /** The bytes before the offset arrive, then the connection ends. */
    record Cut(int connection, Way way, long offset, Ending ending) implements Fault {}

    /** The bytes before the offset arrive, then no more bytes pass in either direction. The connection stays open. */
    record Stall(int connection, Way way, long offset) implements Fault {}

    /** One bit of the byte at the offset is flipped. */
    record FlipBit(int connection, Way way, long offset, int bit) implements Fault {}

    /**
     * Returns a cut or a flipped bit at a random place in the streams of the lanes. The result is reproducible for a
     * given state of {@code random}.
     */
    static Fault random(Random random, Way way, int lanes, long offsetLimit) {
        int lane = 1 + random.nextInt(lanes);
        long offset = 1000 + (long) (random.nextDouble() * offsetLimit);
        return switch (random.nextInt(3)) {
            case 0 -> new Cut(lane, way, offset, Ending.RESET);
            case 1 -> new Cut(lane, way, offset, Ending.CLOSE);
            default -> new FlipBit(lane, way, offset, random.nextInt(8));
        };
    }
}
