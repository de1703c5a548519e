package io.fdt.core.transfer.sending;

import io.fdt.core.transport.Lane;

/** A sending lane that is open, and what its session knows of it. Belongs to the session's thread unless said. */
final class OpenLane {
    final int index;
    final Lane lane;
    final SenderLane sending;

    /** It claims no more. */
    boolean retiring;

    /** What it had moved when it last did. */
    long movement = -1;

    long sinceNanos;

    /** Any thread. */
    volatile boolean givenUp;

    OpenLane(int index, Lane lane, SenderLane sending) {
        this.index = index;
        this.lane = lane;
        this.sending = sending;
    }
}
