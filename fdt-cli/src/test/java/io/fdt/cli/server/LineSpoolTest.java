package io.fdt.cli.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines that wait on disk, also after the process that wrote them was killed. */
class LineSpoolTest {
    private static final String RECEIVER = "http://127.0.0.1:9/x";

    @TempDir
    Path home;

    private LineSpool open(long maxBytes) throws IOException {
        return LineSpool.open(home, RECEIVER, maxBytes, 0);
    }

    private static void append(LineSpool spool, String line) throws IOException {
        spool.append((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static String take(LineSpool spool) throws IOException, InterruptedException {
        LineSpool.Batch batch = Objects.requireNonNull(spool.oldest());
        String text = Files.readString(batch.file());
        spool.remove(batch);
        return text;
    }

    @Test
    void batchesAreWholeLinesInTheirOrder() throws Exception {
        try (LineSpool spool = open(1 << 20)) {
            String large = "x".repeat(LineSpool.BATCH_BYTES);
            append(spool, "first");
            append(spool, large);
            append(spool, "last");

            assertThat(take(spool)).isEqualTo("first\n" + large + "\n");
            assertThat(take(spool)).isEqualTo("last\n");
            spool.end();
            assertThat(spool.oldest()).isNull();
        }
    }

    @Test
    void whatAProcessLeftIsDeliveredByTheNextOneWithoutATornLine() throws Exception {
        Path directory;
        try (LineSpool killed = open(1 << 20)) {
            directory = killed.directory();
            append(killed, "first");
            append(killed, "second");
        }
        try (var files = Files.list(directory)) {
            Path batch = files.filter(file -> file.toString().endsWith(".jsonl"))
                    .findFirst()
                    .orElseThrow();
            Files.writeString(batch, "{\"torn", StandardOpenOption.APPEND);
        }
        try (LineSpool spool = open(1 << 20)) {
            assertThat(spool.directory()).isEqualTo(directory);
            append(spool, "third");

            assertThat(take(spool)).isEqualTo("first\nsecond\n");
            assertThat(take(spool)).isEqualTo("third\n");
        }
    }

    @Test
    void aFullSpoolRefusesALineAndTakesTheNextOnceThereIsRoom() throws Exception {
        try (LineSpool spool = open(10)) {
            append(spool, "12345");
            assertThatThrownBy(() -> append(spool, "12345"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("full")
                    .hasMessageContaining(spool.directory().toString());
            append(spool, "123");

            assertThat(take(spool)).isEqualTo("12345\n123\n");
            append(spool, "12345");
        }
    }

    /** An operator makes room. */
    @Test
    void aBatchThatSomebodyRemovedLeavesItsRoom() throws Exception {
        try (LineSpool spool = open(10)) {
            append(spool, "12345678");
            LineSpool.Batch batch = Objects.requireNonNull(spool.oldest());
            Files.delete(batch.file());
            spool.remove(batch);
            append(spool, "12345678");

            assertThat(take(spool)).isEqualTo("12345678\n");
        }
    }

    @Test
    void receiversHaveDirectoriesOfTheirOwn() throws Exception {
        try (LineSpool one = open(10);
                LineSpool other = LineSpool.open(home, RECEIVER + "y", 10, 0)) {
            assertThat(other.directory()).isNotEqualTo(one.directory());
        }
    }
}
