package io.fdt.core.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** The library that stands in front of the C library of a process, and makes one of its calls fail. */
public record FaultLibrary(Path file) {
    /**
     * Builds it in a directory.
     *
     * @param core the directory of the module with the source
     */
    public static FaultLibrary compile(Path core, Path directory) throws IOException, InterruptedException {
        Assumptions.assumeTrue(new File("/usr/bin/gcc").canExecute(), "needs gcc");
        Path library = directory.resolve("faults.so");
        String include = System.getProperty("java.home") + "/include";
        Process gcc = new ProcessBuilder(
                        "gcc",
                        "-shared",
                        "-fPIC",
                        "-O1",
                        "-I" + include,
                        "-I" + include + "/linux",
                        "-o",
                        library.toString(),
                        core.resolve("src/test/native/faults.c").toString(),
                        "-ldl")
                .inheritIO()
                .start();
        assertThat(gcc.waitFor()).as("gcc").isZero();
        return new FaultLibrary(library);
    }

    /** The environment of a process with the library. */
    public Map<String, String> environment() {
        return Map.of("LD_PRELOAD", file.toString());
    }
}
