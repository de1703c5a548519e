package io.fdt.monitor.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.HostView;
import io.fdt.core.transport.Await;
import io.fdt.monitor.figure.Sample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

final class PusherTest {
    private static Sample sample(long atMs) {
        return new Sample(
                atMs,
                "client",
                new HostView("h", List.of(), List.of()),
                Sample.Devices.NONE,
                List.of(),
                List.of(),
                Map.of());
    }

    /** If one sample fails for any reason, later samples are still sent, and the user gets one warning. */
    @Test
    void goesOnAfterAnyFailure() {
        List<String> warnings = new CopyOnWriteArrayList<>();
        List<Long> sent = new ArrayList<>();
        Push failing = (sample, figures) -> {
            if (sample.epochMs() == 1) {
                throw new StackOverflowError("a mistake");
            }
            if (sample.epochMs() == 2) {
                throw new IOException("refused");
            }
            if (sample.epochMs() == 3) {
                throw new IllegalStateException("another mistake");
            }
            sent.add(sample.epochMs());
        };
        Pusher pusher = new Pusher(failing, "http://gateway", warnings::add);
        for (long time = 1; time <= 5; time++) {
            pusher.onSample(sample(time), List.of());
        }
        pusher.onEnd();
        pusher.awaitEnd(Await.LIMIT_MS);

        assertThat(sent).containsExactly(4L, 5L);
        assertThat(warnings).singleElement().asString().contains("http://gateway: a mistake");
    }
}
