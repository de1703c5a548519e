package io.fdt.system;

import java.util.Random;

/**
 * Something that happens to the bytes of one connection when its stream has reached an offset. Connections are numbered
 * from 0 in the order in which the proxy accepted them, which makes 0 a session's link and the others its lanes.
 */
sealed interface Fault {
    int EVERY_CONNECTION = -1;

    /** The connection it happens to, or {@link #EVERY_CONNECTION}. */
    int connection();

    Way way();

    /** Offset of the first byte that is hurt, from the start of the stream in that direction. */
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
        /** With an RST, as when a host or a firewall throws it away. */
        RESET,
        /** With a FIN in both directions, as when a process ends. */
        CLOSE
    }

    /** The bytes before the offset arrive, then the connection ends. */
    record Cut(int connection, Way way, long offset, Ending ending) implements Fault {}

    /** The bytes before the offset arrive, then nothing more in either direction; the connection stays open. */
    record Stall(int connection, Way way, long offset) implements Fault {}

    /** One bit of the byte at the offset arrives flipped. */
    record FlipBit(int connection, Way way, long offset, int bit) implements Fault {}

    /** A cut or a flipped bit somewhere in what the lanes carry; the same for the same state of the random numbers. */
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
