package io.fdt.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LaneNamesTest {
    private final LaneNames names = new LaneNames(LanePlaces.ANYWHERE);

    private String nameOfOneThatRuns() throws InterruptedException {
        List<String> name = new ArrayList<>();
        Thread thread =
                names.newThread(number -> name.add(Thread.currentThread().getName()));
        thread.start();
        thread.join();
        return name.get(0);
    }

    /** For example where the system refuses more threads. */
    @Test
    void numberOfAnUnstartedThreadIsReused() throws InterruptedException {
        String before = nameOfOneThatRuns();
        names.newThread(number -> {});
        assertThat(nameOfOneThatRuns()).isEqualTo(before).matches("fdt-lane-\\d+");
    }
}
