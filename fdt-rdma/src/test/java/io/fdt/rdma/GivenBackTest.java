package io.fdt.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whichever call of the library fails, in the middle of making something or at its end: what was made is given back,
 * once, and no memory stays mapped. The device is one that stands in, so this runs everywhere; skipped where the build
 * had no compiler or no headers.
 */
@Timeout(120)
final class GivenBackTest {
    @TempDir
    static Path directory;

    @BeforeAll
    static void build() throws Exception {
        Path module = Path.of("").toAbsolutePath();
        ProcessBuilder builder = new ProcessBuilder(
                        module.resolve("src/main/native/build").toString(),
                        directory.toString(),
                        System.getProperty("java.home"))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output").toFile());
        // Compiled into the library, it comes before the libraries that this one needs.
        builder.environment().put("CFLAGS", "-I. " + module.resolve("src/test/native/standin.c"));
        Process build = builder.start();
        assertThat(build.waitFor(100, TimeUnit.SECONDS)).isTrue();
        String output = Files.readString(directory.resolve("output"), StandardCharsets.UTF_8);
        assertThat(build.exitValue()).as(output).isZero();
        assumeTrue(Files.exists(library()), output);
    }

    private static Path library() {
        String machine = System.getProperty("os.arch");
        return directory.resolve(
                Path.of("io/fdt/rdma", Map.of("amd64", "x86_64").getOrDefault(machine, machine), "libdisni.so"));
    }

    /** A library belongs to one loader. */
    private static RdmaLoader loader(String what) throws Exception {
        Path own = Files.copy(library(), directory.resolve(what.replace(' ', '-') + ".so"));
        return RdmaLoader.over(own);
    }

    @ParameterizedTest
    @ValueSource(strings = {"queues", "queues closed twice", "lane", "lane on small pages"})
    void nothingIsLeftWhicheverCallFails(String what) throws Exception {
        Supplier<?> standIn = Class.forName("io.fdt.rdma.StandIn", true, loader(what))
                .asSubclass(Supplier.class)
                .getConstructor(String.class)
                .newInstance(what);
        assertThat(standIn.get()).isEqualTo(List.of());
    }

    /** What the tests of the lab count on that look for leaks. */
    @Test
    void memoryForDevicesIsToldFromAllOther() throws Exception {
        Supplier<?> mapped = Class.forName("io.fdt.rdma.MappedMemory", true, loader("mapped"))
                .asSubclass(Supplier.class)
                .getConstructor()
                .newInstance();
        assertThat(mapped.get()).isEqualTo(List.of(0, MappedMemory.PROBE_KIB, 0));
    }
}
