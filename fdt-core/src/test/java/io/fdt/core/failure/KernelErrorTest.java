package io.fdt.core.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.OutputStream;
import java.net.NoRouteToHostException;
import java.nio.file.FileSystemException;
import org.junit.jupiter.api.Test;

class KernelErrorTest {
    @Test
    void recognizesAClosedReader() throws IOException {
        Process reader = new ProcessBuilder("sh", "-c", "exec <&-; exec sleep 60").start();
        try {
            OutputStream toReader = reader.getOutputStream();
            IOException failed = catchThrowableOfType(IOException.class, () -> {
                while (true) {
                    toReader.write('x');
                    toReader.flush();
                    toReader.flush();
                }
            });
            assertThat(KernelError.of(failed)).as("%s", failed).isEqualTo(KernelError.EPIPE);
        } finally {
            reader.destroyForcibly();
        }
    }

    @Test
    void findsWhatTheKernelSaidInTextsOfTheJdkAndOfNetty() {
        assertThat(KernelError.of(new IOException("No space left on device"))).isEqualTo(KernelError.ENOSPC);
        assertThat(KernelError.of(new FileSystemException("/x", null, "Disk quota exceeded")))
                .isEqualTo(KernelError.EDQUOT);
        assertThat(KernelError.of(new IOException("/x: Too many open files in system")))
                .isEqualTo(KernelError.ENFILE);
        assertThat(KernelError.of(new IllegalStateException("no loop", new IOException("Too many open files"))))
                .isEqualTo(KernelError.EMFILE);
        assertThat(KernelError.of(new NoRouteToHostException())).isEqualTo(KernelError.EHOSTUNREACH);
        assertThat(KernelError.of(new IOException("something else"))).isNull();
    }

    /** A path or a peer's words may contain such a text. */
    @Test
    void looksNeitherIntoPathsNorIntoFailuresOfFdt() {
        assertThat(KernelError.of(new FileSystemException("/No space left on device", null, "it is gone")))
                .isNull();
        assertThat(KernelError.of(Cause.TARGET.failure("Broken pipe"))).isNull();
    }
}
