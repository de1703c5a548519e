package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The thread that reports what changes slowly at a server. */
final class ServerWatchTest {
    @TempDir
    Path directory;

    @Test
    void keysAreReportedWhileARootHangs() {
        CountDownLatch reported = new CountDownLatch(1);
        CountDownLatch answers = new CountDownLatch(1);
        Instant end = Instant.now().plusSeconds(3600);
        Figure expiry = new Figure(Meter.SERVER_KEY_EXPIRY, List.of("ann"), end.getEpochSecond());
        try (ServerWatch watch = new ServerWatch(
                () -> Map.of("ann", end),
                List.of(directory),
                figures -> {
                    if (figures.contains(expiry)) {
                        reported.countDown();
                    }
                },
                roots -> await(answers))) {
            assertThat(watch).isNotNull();
            Await.until("the expiry of the key", reported);
        } finally {
            answers.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
