package io.fdt.core.nettest.stream;

import java.nio.ByteBuffer;

/** What a lane answers. The lane's thread. */
interface Answers {
    /** The length of the request that comes now; 0 when none may come. */
    int requestBytes();

    /**
     * The length of the answer to the request that has come.
     *
     * @param head its first bytes, {@link TurnLane#HEAD_BYTES} at most, at the start of this memory
     * @throws io.fdt.core.TransferException VERSION for a request that nobody may make
     */
    int answerBytes(ByteBuffer head);
}
