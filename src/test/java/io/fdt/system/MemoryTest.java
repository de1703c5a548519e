package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.system.Route.Direction;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Memory use does not grow with the number of files. To test with a million files:
 * {@code -Dfdt.files=1000000 -Dfdt.heap=256m -Dit.test=MemoryTest}.
 */
@Tag("full")
final class MemoryTest {
    private static final int FILES = Integer.getInteger("fdt.files", 100_000);
    private static final String HEAP = System.getProperty("fdt.heap", "96m");
    private static final Duration LIMIT = Duration.ofMinutes(1 + FILES / 100_000);

    @RegisterExtension
    final Workplace at = new Workplace();

    @EachWay
    @Timeout(value = 40, unit = TimeUnit.MINUTES)
    void manyFilesFitIntoASmallHeapOnBothSides(Direction direction) {
        at.environment("JAVA_TOOL_OPTIONS", "-Xmx" + HEAP + " -XX:+ExitOnOutOfMemoryError");
        Route route = Route.of(at, direction);
        Trees.manyFiles(route.sourcePath("many"), FILES, 0);
        for (String expected : new String[] {"copied", "already there"}) {
            Outcome outcome = at.startCopy(route.source("many"), route.target(""))
                    .await(LIMIT)
                    .expectExit(0);
            assertThat(outcome.number("files")).as(expected).isEqualTo(FILES);
            assertThat(route.server().process().isAlive()).as(expected).isTrue();
            System.err.printf(
                    "%s of %d empty files, heap %s, %s: %.1f s%n", direction, FILES, HEAP, expected, outcome.seconds());
        }
        Trees.assertSame(route.sourcePath("many"), route.targetPath("many"));
    }
}
