package io.fdt.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A reader that stops reading does not delay the threads that write messages. */
class MessageStreamTest {
    /** A stream that a test can block and unblock. */
    private static final class Sink extends OutputStream {
        final ByteArrayOutputStream got = new ByteArrayOutputStream();
        volatile String failure = "";
        volatile CountDownLatch open = new CountDownLatch(0);

        @Override
        public void write(int b) {
            throw new AssertionError("byte by byte");
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                if (!open.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)) {
                    throw new AssertionError("nobody opened the sink");
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            if (!failure.isEmpty()) {
                throw new IOException(failure);
            }
            synchronized (got) {
                got.write(bytes, offset, length);
            }
        }

        String text() {
            synchronized (got) {
                return got.toString(StandardCharsets.UTF_8);
            }
        }
    }

    private final Sink sink = new Sink();
    private final MessageStream messages = new MessageStream(sink);
    private final Console console = new Console(new ByteArrayOutputStream(), messages, messages::takeLost, false);

    @AfterEach
    void endItsThread() {
        sink.open.countDown();
        messages.close();
    }

    @Test
    void isWrittenWhenTheCallReturns() {
        for (int i = 0; i < 50; i++) {
            console.message("line " + i);
            messages.drain(Await.LIMIT_MS);
            assertThat(sink.text()).endsWith("line " + i + "\n");
        }
    }

    @Test
    void stoppedReaderDelaysNobodyAndLearnsOfLostMessages() {
        sink.open = new CountDownLatch(1);
        String line = "x".repeat(1_000);
        long start = System.nanoTime();
        for (int i = 0; i < 1_000; i++) {
            console.message(line);
        }
        // The first message waits 20 ms. The machine may be busy, but a thousand such waits would take 20 s.
        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(10));
        sink.open.countDown();
        messages.drain(Await.LIMIT_MS);
        console.message("here again");
        messages.drain(Await.LIMIT_MS);
        List<String> lines = sink.text().lines().toList();
        String notice = lines.get(lines.size() - 2);
        assertThat(notice).matches("fdt: warning: \\d+ earlier messages could not be written");
        assertThat(lines.get(lines.size() - 1)).isEqualTo("here again");
        int lost = Integer.parseInt(notice.replaceAll("\\D+", ""));
        assertThat(lost + lines.size() - 2).isEqualTo(1_000);
    }

    @Test
    void afterAFullDiskMessagesComeThroughAgain() {
        sink.failure = "No space left on device";
        console.message("one");
        console.message("two");
        messages.drain(Await.LIMIT_MS);
        sink.failure = "";
        console.message("three");
        messages.drain(Await.LIMIT_MS);
        assertThat(sink.text()).isEqualTo("fdt: warning: 2 earlier messages could not be written\nthree\n");
    }

    @Test
    void writesNothingAfterABrokenPipe() {
        sink.failure = "Broken pipe";
        console.message("one");
        messages.drain(Await.LIMIT_MS);
        sink.failure = "";
        console.message("two");
        messages.drain(Await.LIMIT_MS);
        assertThat(sink.text()).isEmpty();
    }
}
