package io.fdt.core.storage.partial;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.target.TargetTree;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** How many system calls a received file takes, for itself and for each leaf. */
final class DiskCallsTest extends StorageTest {
    private static final int LEAF_BYTES = 128 << 10;
    private static final int CHUNKS = 8;

    private final Map<String, Integer> calls = new ConcurrentHashMap<>();

    private Disk disk() {
        return (Disk) Proxy.newProxyInstance(
                Disk.class.getClassLoader(), new Class<?>[] {Disk.class}, (proxy, method, arguments) -> {
                    calls.merge(method.getName(), 1, Integer::sum);
                    try {
                        return method.invoke(Disk.KERNEL, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    private TargetTree tree(Root root) throws IOException {
        directory("out");
        return new TargetTree(
                disk(), root, raw("out"), rules(Existing.OVERWRITE), DigestKind.XXH3_128, CHUNK_BYTES, false);
    }

    private Map<String, Integer> taken() {
        Map<String, Integer> all = new TreeMap<>(calls);
        calls.clear();
        return all;
    }

    @Test
    void aLeafOfALargeFileTakesOneCall() throws Exception {
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = tree(root)) {
            long sizeBytes = (long) CHUNKS * CHUNK_BYTES;
            TargetFile file = ((Outcome.Wanted) tree.prepare(fileEntry("f", sizeBytes))).file();
            write(file, new byte[LEAF_BYTES], 0);
            taken();
            for (long offset = LEAF_BYTES; offset < sizeBytes; offset += LEAF_BYTES) {
                write(file, new byte[LEAF_BYTES], offset);
            }
            assertThat(taken()).containsExactly(Map.entry("write", CHUNKS * CHUNK_BYTES / LEAF_BYTES - 1));
            file.seal();
            file.publish();
        }
    }

    @Test
    void aSmallFileTakesFewCalls() throws Exception {
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = tree(root)) {
            for (int i = 0; i < 3; i++) {
                TargetFile file = ((Outcome.Wanted) tree.prepare(fileEntry("f" + i, 5))).file();
                write(file, new byte[5], 0);
                file.seal();
                file.publish();
                Map<String, Integer> taken = taken();
                if (i > 0) {
                    // The first one opens the directory, and shows whether files can be nameless.
                    assertThat(taken)
                            .isEqualTo(Map.of(
                                    "openNameless",
                                    1,
                                    "write",
                                    1,
                                    "setMode",
                                    1,
                                    "setModified",
                                    1,
                                    "name",
                                    1,
                                    "open",
                                    1,
                                    "close",
                                    2));
                }
            }
        }
    }
}
