package io.fdt.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.transport.LanePlaces;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The native library matches the classes that use it. Needs no device. Skipped if the build had no compiler or no
 * headers.
 */
final class NativeLibraryTest {
    private static String library() throws IOException {
        String machine = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        try (InputStream in = NativeLibraryTest.class.getResourceAsStream(machine + "/libdisni.so")) {
            assumeTrue(in != null, "the native library was not built");
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "com.ibm.disni.verbs.impl.NativeDispatcher, 48",
        "com.ibm.disni.util.NativeAffinity, 2",
        "io.fdt.rdma.Verbs, 35"
    })
    void hasEveryNativeThatTheClassDeclares(String className, int count) throws Exception {
        String library = library();
        Class<?> type = Class.forName(className, false, getClass().getClassLoader());
        List<String> symbols = Arrays.stream(type.getDeclaredMethods())
                .filter(method -> Modifier.isNative(method.getModifiers()))
                .map(Method::getName)
                .map(name -> "Java_" + className.replace('.', '_') + "_" + name.replace("_", "_1"))
                .toList();
        assertThat(symbols).hasSize(count);
        assertThat(symbols).allMatch(symbol -> library.contains("\0" + symbol + "\0"));
    }

    @Test
    void aHostWithoutRdmaIsToldSoInOneSentence() {
        assumeTrue(!Files.exists(Path.of("/sys/class/infiniband")), "this host has RDMA");
        for (int round = 0; round < 2; round++) {
            assertThatThrownBy(() -> Rdma.open(RdmaSettings.DEFAULT, LanePlaces.ANYWHERE))
                    .asInstanceOf(type(TransferException.class))
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(FailureKind.NO_RDMA))
                    .satisfies(e -> assertThat(e.getMessage())
                            .startsWith("RDMA is not available on this host: ")
                            .doesNotContain("\n"));
        }
    }
}
