package io.fdt.core.transfer.sending;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.plan.FileEntry;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SenderFileTest {
    /** One of two lanes finds that the source cannot be read, and the other one begins its chunk after that. */
    @Test
    void endedFileIsNotOpenedAgain() {
        FakeSources sources = new FakeSources();
        sources.file("f", 5);
        FileEntry entry = Objects.requireNonNull(sources.next());
        AtomicInteger idle = new AtomicInteger();
        SenderFile file = new SenderFile(0, entry, sources::open, idle);
        file.acquire();
        file.release();
        assertThat(sources.open()).isEqualTo(1);
        file.end();
        assertThat(sources.open()).isZero();
        file.acquire();
        file.release();
        assertThat(sources.open()).isZero();
        assertThat(idle).hasValue(0);
    }
}
