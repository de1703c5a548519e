package io.fdt.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.OutputStream;
import org.junit.jupiter.api.Test;

class ReaderGoneTest {
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
            assertThat(ReaderGone.is(failed)).as("%s", failed).isTrue();
        } finally {
            reader.destroyForcibly();
        }
        assertThat(ReaderGone.is(new IOException("No space left on device"))).isFalse();
    }
}
