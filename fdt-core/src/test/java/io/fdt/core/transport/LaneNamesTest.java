package io.fdt.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LaneNamesTest {
    private static String nameOfOneThatRuns() throws InterruptedException {
        List<String> name = new ArrayList<>();
        Thread thread =
                LaneNames.newThread(() -> name.add(Thread.currentThread().getName()));
        thread.start();
        thread.join();
        return name.get(0);
    }

    /** As where the system gives no more threads. */
    @Test
    void aThreadThatNeverRunsKeepsNoNumber() throws InterruptedException {
        String before = nameOfOneThatRuns();
        LaneNames.newThread(() -> {});
        assertThat(nameOfOneThatRuns()).isEqualTo(before).matches("fdt-lane-\\d+");
    }
}
