package io.fdt.core.nettest.stream;

import java.nio.ByteBuffer;

/** The requests of one lane, one after the other. The lane's thread, but where noted. */
interface Questions {
    /** Goes on to the next, sent from this memory, where it may be marked; false when there is none. */
    boolean next(long nowNanos, ByteBuffer request);

    int requestBytes();

    int answerBytes();

    /** All of the answer has come. */
    void onAnswer(long askedNanos, long answeredNanos);
}
