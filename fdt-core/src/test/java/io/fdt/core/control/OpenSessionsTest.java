package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Permission;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which sessions a server admits. */
final class OpenSessionsTest {
    /** Schedulers and {@code --retry} repeat what passes by itself, and never what a user must change. */
    @Test
    void aFullServerIsUnavailable(@TempDir Path home) {
        AccessKey key =
                new KeyStore(home).create("k", Permission.READ_WRITE, null).key();
        OpenSessions full = new OpenSessions(0, () -> false);
        assertThatExceptionOfType(TransferException.class)
                .isThrownBy(() -> full.makeRoom(key))
                .withMessageContaining("the server is full")
                .matches(failure -> failure.kind() == FailureKind.UNAVAILABLE);
    }
}
