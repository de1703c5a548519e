package io.fdt.cli.console;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;

/**
 * Whether a write failed because its reader has closed. The JDK only passes on the C library's message, which is in the
 * user's language, so the expected text is obtained from a pipe without a reader.
 */
final class ReaderGone {
    private static final String WORDS = words();

    private ReaderGone() {}

    static boolean is(IOException failed) {
        return String.valueOf(failed.getMessage()).contains(WORDS);
    }

    private static String words() {
        try {
            Pipe pipe = Pipe.open();
            pipe.source().close();
            try (Pipe.SinkChannel sink = pipe.sink()) {
                sink.write(ByteBuffer.allocate(1));
            }
        } catch (IOException brokenPipe) {
            return String.valueOf(brokenPipe.getMessage());
        }
        return "Broken pipe";
    }
}
