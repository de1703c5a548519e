package io.fdt.core.verify;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.budget.Budgets;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.storage.ReadBuffer;
import io.fdt.core.transport.Await;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class HashThreadsTest {
    /** A server that lacks memory once must not keep what it got, for good. */
    @Test
    void failedStartLeavesNoThreads() {
        AtomicInteger calls = new AtomicInteger();
        assertThatThrownBy(() -> new HashThreads(
                        DigestKind.XXH3_128,
                        3,
                        Budgets.ofProcess(),
                        () -> {
                            if (calls.incrementAndGet() == 3) {
                                throw new OutOfMemoryError("a test's");
                            }
                            return new ReadBuffer(ReadBuffer.ALIGN_BYTES);
                        },
                        bytes -> {}))
                .isInstanceOf(OutOfMemoryError.class);
        Await.until(
                "no hash thread runs",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(each -> each.getName().startsWith("fdt-hash-")));
    }
}
