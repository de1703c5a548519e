package io.fdt.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.LanePlaces;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The native library matches the classes that use it. Needs no device. Skipped if the build had no compiler or no
 * headers.
 */
final class NativeLibraryTest {
    /** By the constructor of NativeDispatcher. */
    private static final Set<String> CALLED_AT_START = Set.of(
            "_getVersion",
            "_getSockAddrInSize",
            "_getIbvRecvWRSize",
            "_getIbvSendWRSize",
            "_getIbvSgeSize",
            "_getIbvWCSize",
            "_getRemoteAddressOffset",
            "_getRKeyOffset");

    private static String library() throws IOException {
        String machine = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        try (InputStream in = NativeLibraryTest.class.getResourceAsStream(machine + "/libdisni.so")) {
            assumeTrue(in != null, "the native library was not built");
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    void hasEveryNativeOfVerbs() throws Exception {
        assertThat(exported("io_fdt_rdma_Verbs_")).isEqualTo(natives("io.fdt.rdma.Verbs"));
    }

    /**
     * DiSNI declares more than fdt calls. A native that is called and missing would fail only on a host with a device.
     */
    @Test
    void hasTheNativesOfDisniThatAreCalledAndNoOthers() throws Exception {
        Set<String> called = natives("com.ibm.disni.verbs.impl.NativeDispatcher");
        String classes = ownClasses();
        called.removeIf(name -> !CALLED_AT_START.contains(name) && !classes.contains(name));

        assertThat(exported("com_ibm_disni_verbs_impl_NativeDispatcher_")).isEqualTo(called);
        assertThat(called).containsAll(CALLED_AT_START).contains("_postSend", "_pollCQ");
    }

    private static Set<String> natives(String className) throws ClassNotFoundException {
        return Arrays.stream(Class.forName(className, false, NativeLibraryTest.class.getClassLoader())
                        .getDeclaredMethods())
                .filter(method -> Modifier.isNative(method.getModifiers()))
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> exported(String ofClass) throws IOException {
        return Pattern.compile("\0Java_" + ofClass + "(\\w+)(?=\0)")
                .matcher(library())
                .results()
                .map(symbol -> symbol.group(1).replace("_1", "_"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The constants of the classes of this module, among them the names of all methods that they call. */
    private static String ownClasses() throws Exception {
        Path root = Path.of(
                Rdma.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(root.resolve("io/fdt/rdma"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".class")).toList()) {
                all.append(Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return all.toString();
    }

    @Test
    void reportsAHostWithoutRdmaInOneSentence() {
        assumeTrue(!Files.exists(Path.of("/sys/class/infiniband")), "this host has RDMA");
        for (int round = 0; round < 2; round++) {
            assertThatThrownBy(() -> Rdma.open(RdmaSettings.DEFAULT, LanePlaces.ANYWHERE))
                    .asInstanceOf(type(TransferException.class))
                    .satisfies(e -> assertThat(e.failure().cause()).isEqualTo(Cause.NO_RDMA))
                    .satisfies(e -> assertThat(e.getMessage())
                            .startsWith("RDMA is not available on this host: ")
                            .doesNotContain("\n"));
        }
    }
}
