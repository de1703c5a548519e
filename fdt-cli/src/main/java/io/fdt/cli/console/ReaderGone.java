package io.fdt.cli.console;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;

/**
 * Whether a write failed because nobody reads any more. The JDK passes on only the words of the C library, which are in
 * the user's language, so they are taken from a pipe that has no reader.
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
