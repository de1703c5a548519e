package io.fdt.core.host.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelFilesTest {
    @TempDir
    Path root;

    /** These files report a size of zero, and return their value to the first read only. */
    @Test
    void readsSysctlsOfTheKernelWhole() throws IOException {
        List<String> sysctls =
                List.of("kernel/osrelease", "net/ipv4/tcp_rmem", "net/ipv4/tcp_wmem", "kernel/threads-max");
        for (String sysctl : sysctls) {
            Path file = Path.of("/proc/sys", sysctl);
            assumeTrue(Files.isReadable(file), file + " is not readable here");
            Process cat = new ProcessBuilder("cat", file.toString()).start();
            String expected = new String(cat.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);

            assertThat(expected.length()).isGreaterThan(1);
            assertThat(new KernelFiles(Path.of("/")).read("proc/sys/" + sysctl)).isEqualTo(expected);
        }
    }

    @Test
    void neverMakesAFile() {
        assertThatThrownBy(() -> new KernelFiles(root).write("absent", "1\n")).isInstanceOf(IOException.class);
        assertThat(root.resolve("absent")).doesNotExist();
    }

    @Test
    void writesExactlyWhatItIsGiven() throws IOException {
        Files.writeString(root.resolve("file"), "something longer\n");

        new KernelFiles(root).write("file", "\u00ff1");

        assertThat(Files.readAllBytes(root.resolve("file"))).containsExactly(0xff, '1');
        assertThat(new KernelFiles(root).read("file")).isEqualTo("\u00ff1");
    }
}
