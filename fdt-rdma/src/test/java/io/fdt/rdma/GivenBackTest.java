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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each call of the library fails in turn, during setup or teardown. Everything that was created is released exactly
 * once, and no memory stays mapped. The device is a stand-in, so this runs everywhere. Skipped if the build had no
 * compiler or no headers.
 */
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
        // The stand-in is compiled into the library, so its functions take precedence over those of shared libraries.
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

    /** A native library belongs to one class loader. */
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

    /** The leak tests in the lab depend on this. */
    @Test
    void distinguishesMemoryForDevicesFromOtherMemory() throws Exception {
        Supplier<?> mapped = Class.forName("io.fdt.rdma.MappedMemory", true, loader("mapped"))
                .asSubclass(Supplier.class)
                .getConstructor()
                .newInstance();
        assertThat(mapped.get()).isEqualTo(List.of(0, MappedMemory.PROBE_KIB, 0));
    }
}
