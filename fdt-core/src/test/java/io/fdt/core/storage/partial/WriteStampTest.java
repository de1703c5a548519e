package io.fdt.core.storage.partial;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.FileStatus;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** For which states of a partial a stamp vouches that nobody else has changed it. */
final class WriteStampTest {
    private static final int INDEX = 16;
    private static final long NUMBER = 0x0123456789ABCDEFL;

    private final ByteBuffer page = ByteBuffer.allocate(INDEX + WriteStamp.LENGTH_BYTES);
    /** Its page is no mapped memory, and it is never closed. */
    private final WriteStamp stamp = new WriteStamp(Disk.KERNEL, page, INDEX, NUMBER);

    private static FileStatus changedAt(long ms, int nanos) {
        FileStatus status = new FileStatus();
        status.changedSeconds = ms / 1000;
        status.changedNanos = (int) (ms % 1000) * 1_000_000 + nanos;
        return status;
    }

    private static FileStatus changedNow() {
        return changedAt(System.currentTimeMillis(), 0);
    }

    private boolean vouches(long number, FileStatus partial) {
        return WriteStamp.vouches(page, INDEX, number, Disk.KERNEL.bootId(), partial);
    }

    @Test
    void anEmptyPageVouchesForNothing() {
        assertThat(vouches(NUMBER, new FileStatus())).isFalse();
        assertThat(vouches(NUMBER, changedNow())).isFalse();
    }

    @Test
    void atRestOnlyTheSameTimeIsOurs() {
        FileStatus atRest = changedAt(1_700_000_000_123L, 456);
        stamp.rest(atRest);
        assertThat(vouches(NUMBER, atRest)).isTrue();
        assertThat(stamp.isOurs(changedAt(1_700_000_000_123L, 457))).isFalse();
        assertThat(stamp.isOurs(changedAt(1_700_000_001_123L, 456))).isFalse();
        assertThat(vouches(NUMBER + 1, atRest)).as("of another journal").isFalse();
    }

    @Test
    void aWriteReplacesTheTimeOfTheRest() {
        FileStatus atRest = changedAt(1_700_000_000_123L, 456);
        stamp.rest(atRest);
        stamp.onWrite();
        assertThat(stamp.isOurs(atRest)).isFalse();
        long stampMs = page.getLong(INDEX) >>> 16;
        assertThat(stamp.isOurs(changedAt(stampMs, 0))).isTrue();
        stamp.rest(atRest);
        assertThat(stamp.isOurs(changedAt(stampMs, 0))).isFalse();
        assertThat(stamp.isOurs(atRest)).isTrue();
    }

    /** As if the status could not be read. */
    @Test
    void aRestWithoutATimeVouchesForNothingUntilTheNextWrite() {
        stamp.rest(new FileStatus());
        assertThat(stamp.isOurs(changedNow())).isFalse();
        stamp.onWrite();
        long stampMs = page.getLong(INDEX) >>> 16;
        assertThat(stamp.isOurs(changedAt(stampMs, 0))).isTrue();
        assertThat(stamp.isOurs(changedAt(stampMs + 1_000, 0)))
                .as("a change after our last write")
                .isFalse();
        stamp.restIfOurs(new FileStatus());
        assertThat(stamp.isOurs(changedAt(stampMs, 0))).isFalse();
    }

    @Test
    void nothingIsOursOnceItIsForgotten() {
        FileStatus atRest = changedNow();
        stamp.rest(atRest);
        stamp.forget();
        assertThat(stamp.isOurs(atRest)).isFalse();
        stamp.onWrite();
        assertThat(stamp.isOurs(changedAt(page.getLong(INDEX) >>> 16, 0))).isFalse();
        stamp.rest(atRest);
        assertThat(stamp.isOurs(atRest)).isTrue();
    }

    @Test
    void aSessionThatFindsAForeignChangeForgetsWhatItKnew() {
        FileStatus atRest = changedAt(1_700_000_000_123L, 456);
        stamp.rest(atRest);
        stamp.restIfOurs(changedAt(1_700_000_002_000L, 0));
        assertThat(stamp.isOurs(changedAt(1_700_000_002_000L, 0))).isFalse();
        assertThat(stamp.isOurs(atRest)).isFalse();
    }

    @Test
    void aSessionThatWroteLastIsAtRest() {
        stamp.rest(changedAt(1_700_000_000_123L, 456));
        stamp.onWrite();
        FileStatus last = changedAt(page.getLong(INDEX) >>> 16, 7);
        stamp.restIfOurs(last);
        assertThat(stamp.isOurs(last)).isTrue();
        assertThat(page.getLong(INDEX)).as("no write since").isZero();
    }
}
