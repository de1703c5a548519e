package io.fdt.core.nativecode;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
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

    /** A mistake in the native code ends the process, and writes nothing that an attacker chooses. */
    @Test
    void hardensTheLibrary() throws Exception {
        String machine = System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "x86_64";
        URL library = Objects.requireNonNull(NativeCode.class.getResource(machine + "/libfdt.so"));
        Process readelf =
                new ProcessBuilder("readelf", "-dlsW", Path.of(library.toURI()).toString()).start();
        String shown = new String(readelf.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(shown).contains("BIND_NOW", "GNU_RELRO", "__stack_chk_fail").containsPattern("GNU_STACK.* RW  ");
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
