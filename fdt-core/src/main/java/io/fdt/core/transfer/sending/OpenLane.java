package io.fdt.core.transfer.sending;

import io.fdt.core.transport.Lane;

/** An open sending lane and its state in the session. For the session's thread unless stated otherwise. */
final class OpenLane {
    final int index;
    final Lane lane;
    final SenderLane sending;

    /** It claims no more chunks. */
    boolean retiring;

    /** The bytes that it had moved when it last made progress. */
    long movement = -1;

    long sinceNanos;

    /** Thread-safe. */
    volatile boolean givenUp;

    OpenLane(int index, Lane lane, SenderLane sending) {
        this.index = index;
        this.lane = lane;
        this.sending = sending;
    }
}
