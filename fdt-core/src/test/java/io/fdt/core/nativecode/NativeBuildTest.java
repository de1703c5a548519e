package io.fdt.core.nativecode;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script that compiles the native code ends the build with one sentence where it cannot. */
class NativeBuildTest {
    @TempDir
    Path out;

    private String failureOf(String compiler, String... more) throws IOException, InterruptedException {
        ProcessBuilder build = new ProcessBuilder("src/main/native/build", out.toString());
        build.command().addAll(List.of(more));
        build.environment().put("CC", compiler);
        Process process = build.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isEqualTo(1);
        assertThat(out).isEmptyDirectory();
        return said;
    }

    @Test
    void failsWithoutACompiler() throws Exception {
        assertThat(failureOf("no-such-compiler", System.getProperty("java.home")))
                .isEqualTo("cannot build fdt's native library: there is no C compiler no-such-compiler;"
                        + " install gcc, or set CC\n");
    }

    @Test
    void failsWithoutTheHeadersOfJava() throws Exception {
        assertThat(failureOf("cat", "/nonexistent"))
                .isEqualTo("cannot build fdt's native library: /nonexistent has no JNI headers;"
                        + " use a JDK, for example openjdk-17-jdk-headless\n");
    }

    @Test
    void failsForAMachineThatFdtIsNotFor() throws Exception {
        assertThat(failureOf("cc", System.getProperty("java.home"), "riscv64"))
                .isEqualTo("cannot build fdt's native library: fdt is for x86_64 and aarch64 only, not for riscv64\n");
    }
}
