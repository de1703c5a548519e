package io.fdt.core.nettest.stream;

import java.nio.ByteBuffer;

/** What a lane answers. The lane's thread. */
interface Answers {
    /** The length of the request that comes now; 0 when none may come. */
    int requestBytes();

    /** The length of the answer to the request that begins like this, or throws VERSION if nobody may make it. */
    int answerBytes(ByteBuffer head);
}
