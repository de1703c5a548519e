package io.fdt.core.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.nativecode.Libc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose key a run of a job takes. */
final class JobKeyTest {
    private static final int SOMEBODY = 4321;

    @TempDir
    private Path directory;

    @Test
    void refusesAKeyThatAnotherUserHasPutThere() throws IOException {
        JobKey.write(directory, "a key");
        Path file = directory.resolve(JobFiles.KEY);

        assertThat(JobKey.read(file, Libc.geteuid())).isEqualTo("a key");
        if (Libc.geteuid() == 0) {
            // Root's own files are trusted by everybody.
            assertThat(JobKey.read(file, SOMEBODY)).isEqualTo("a key");
            Files.setAttribute(file, "unix:uid", SOMEBODY + 1);
        }
        assertThatThrownBy(() -> JobKey.read(file, SOMEBODY)).hasMessageContaining("belongs to another user (uid ");
    }
}
