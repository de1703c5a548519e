package io.fdt.core.nettest.stream;

import java.nio.ByteBuffer;

/** The requests of one lane, one after the other. For the lane's thread, unless stated otherwise. */
interface Questions {
    /**
     * Continues with the next request, which is sent from this memory and may be marked there; false if there is none.
     */
    boolean next(long nowNanos, ByteBuffer request);

    int requestBytes();

    int answerBytes();

    /** The whole answer has arrived. */
    void onAnswer(long askedNanos, long answeredNanos);
}
