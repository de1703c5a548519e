package io.fdt.core.nettest.stream;

import java.nio.ByteBuffer;

/** Determines the answers of a lane. For the lane's thread. */
interface Answers {
    /** The length of the next request; 0 if none is permitted. */
    int requestBytes();

    /** The length of the answer to the request with this beginning; throws VERSION if the request is invalid. */
    int answerBytes(ByteBuffer head);
}
