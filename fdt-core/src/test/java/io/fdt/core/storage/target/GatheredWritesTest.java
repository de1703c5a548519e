package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.Rules;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.DirectIo;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.LossyDisk;
import io.fdt.core.storage.posix.Paths;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** All data that a lane gathers reaches the file, in few writes. {@code -Dfdt.seed=…} replays a run. */
class GatheredWritesTest extends StorageTest {
    private static final long SEED = Long.getLong("fdt.seed", 1);
    private static final int ROUNDS = 30;

    private LossyDisk newDisk() throws IOException {
        return new LossyDisk(directory("place/attic"), new Random(SEED), 4096);
    }

    private static TransferPlan rules(DirectIo directIo) {
        return Rules.of(Existing.OVERWRITE, TargetRules.Comparison.TIME, Durability.END, true, PRESERVED, directIo);
    }

    private TargetTree tree(LossyDisk disk, Root root, DirectIo directIo) {
        return new TargetTree(disk, root, raw("out"), rules(directIo), DigestKind.XXH3_128, CHUNK_BYTES, false);
    }

    @Test
    void filesAreWholeWhateverTheirLengthAndTheOrderOfTheirChunks() throws IOException {
        System.err.println("-Dfdt.seed=" + SEED);
        Random random = new Random(SEED);
        Path out = directory("place/out");
        for (int round = 0; round < ROUNDS; round++) {
            byte[] content = new byte[1 + random.nextInt(20 * LEAF_BYTES)];
            random.nextBytes(content);
            FileEntry entry = fileEntry("f" + round, content.length);
            try (LossyDisk disk = newDisk();
                    Root root = Root.confined(raw(temporary.resolve("place")));
                    TargetTree tree = tree(disk, root, DirectIo.ALWAYS);
                    TargetFile file = wanted(tree.prepare(entry))) {
                writeChunks(file, content, random);
                assertThat(file.isDirect()).isEqualTo(content.length >= 4096);
                file.sync();
                file.seal();
                file.publish();
            }
            assertThat(Files.readAllBytes(out.resolve("f" + round)))
                    .as("round " + round)
                    .isEqualTo(content);
        }
    }

    /** Writes chunks in any order, as a lane does; some are cut off and written again. */
    private static void writeChunks(TargetFile file, byte[] content, Random random) {
        int chunks = (content.length + CHUNK_BYTES - 1) / CHUNK_BYTES;
        int first = random.nextInt(chunks);
        try (GatheredWrites gathered = new GatheredWrites()) {
            for (int i = 0; i < chunks; i++) {
                int start = (first + i) % chunks * CHUNK_BYTES;
                int end = Math.min(content.length, start + CHUNK_BYTES);
                if (random.nextInt(4) == 0) {
                    write(gathered, file, content, start, Math.min(end, start + LEAF_BYTES));
                    gathered.forget();
                }
                for (int at = start; at < end; at += LEAF_BYTES) {
                    write(gathered, file, content, at, Math.min(end, at + LEAF_BYTES));
                }
                gathered.writeTo(file);
                assertThat(gathered.isEmpty()).isTrue();
            }
        }
    }

    private static void write(GatheredWrites gathered, TargetFile file, byte[] content, int from, int to) {
        byte[] leaf = Arrays.copyOfRange(content, from, to);
        Memory memory = Memory.of(leaf);
        try {
            gathered.write(file, memory.address(), leaf.length, from);
        } finally {
            Reference.reachabilityFence(memory.buffer());
        }
    }

    @Test
    void roomIsTakenForWhatComesAndNotForWhatIsDeclared() throws IOException {
        directory("place/out");
        long declared = 1L << 30;
        try (LossyDisk disk = newDisk();
                Root root = Root.confined(raw(temporary.resolve("place")));
                TargetTree tree = tree(disk, root, DirectIo.ALWAYS);
                TargetFile file = wanted(tree.prepare(fileEntry("big", declared)))) {
            file.zero(0, CHUNK_BYTES);
            assertThat(file.isDirect()).isTrue();
            assertThat(allocated()).isLessThan(1 << 20);
            Memory memory = Memory.of(new byte[LEAF_BYTES]);
            try {
                file.write(memory.address(), LEAF_BYTES, 8 << 20);
                file.write(memory.address(), LEAF_BYTES, declared - LEAF_BYTES);
            } finally {
                Reference.reachabilityFence(memory.buffer());
            }
            assertThat(allocated()).isBetween(2L * LEAF_BYTES, 10L << 20);
            file.abandon(false);
        }
    }

    /** Returns the bytes that all files of the target occupy on the disk. */
    private long allocated() throws IOException {
        Process du = new ProcessBuilder(
                        "du", "-s", "-B1", temporary.resolve("place/out").toString())
                .start();
        String printed = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return Long.parseLong(printed.substring(0, printed.indexOf('\t')));
    }

    @Test
    void leavesInARowAreOneWriteForEachMebibyte() {
        List<String> writes = new ArrayList<>();
        TargetFile file = (TargetFile) Proxy.newProxyInstance(
                TargetFile.class.getClassLoader(), new Class<?>[] {TargetFile.class}, (proxy, method, arguments) -> {
                    long address = (long) arguments[0];
                    writes.add(method.getName() + " " + arguments[1] + " at " + arguments[2] + ", off by "
                            + address % 4096);
                    return null;
                });
        byte[] content = new byte[10 * LEAF_BYTES + 5];
        try (GatheredWrites gathered = new GatheredWrites()) {
            for (int at = 0; at < content.length; at += LEAF_BYTES) {
                write(gathered, file, content, at, Math.min(content.length, at + LEAF_BYTES));
            }
            gathered.writeTo(file);
        }
        assertThat(writes)
                .containsExactly(
                        "write 1048576 at 0, off by 0", "write " + (2 * LEAF_BYTES + 5) + " at 1048576, off by 0");
    }

    @Test
    void fileSystemThatRefusesIsWrittenToThroughTheCache() throws IOException {
        Path out = directory("place/out");
        byte[] content = new byte[5 * LEAF_BYTES + 17];
        new Random(1).nextBytes(content);
        try (LossyDisk disk = newDisk();
                Root root = Root.confined(raw(temporary.resolve("place")));
                TargetTree tree = tree(disk, root, DirectIo.ALWAYS);
                TargetFile file = wanted(tree.prepare(fileEntry("f", content.length)));
                GatheredWrites gathered = new GatheredWrites()) {
            write(gathered, file, content, 0, LEAF_BYTES);
            gathered.writeTo(file);
            assertThat(file.isDirect()).isTrue();
            disk.failAfter(LossyDisk.Kind.WRITE, 0, Errno.EINVAL);
            for (int at = LEAF_BYTES; at < content.length; at += LEAF_BYTES) {
                write(gathered, file, content, at, Math.min(content.length, at + LEAF_BYTES));
            }
            gathered.writeTo(file);
            assertThat(file.isDirect()).isFalse();
            file.sync();
            file.seal();
            file.publish();
        }
        assertThat(Files.readAllBytes(out.resolve("f"))).isEqualTo(content);
    }

    /**
     * The first write of a lane is gathered like the rest, so that even a file of a single leaf is never in the cache.
     */
    @Test
    void fileIsDirectBeforeItsFirstWrite() throws IOException {
        directory("place/out");
        try (LossyDisk disk = newDisk();
                Root root = Root.confined(raw(temporary.resolve("place")));
                TargetTree tree = tree(disk, root, DirectIo.ALWAYS);
                TargetFile file = wanted(tree.prepare(fileEntry("f", LEAF_BYTES)));
                TargetFile small = wanted(tree.prepare(fileEntry("small", 4095)))) {
            assertThat(file.isDirect()).isTrue();
            assertThat(small.isDirect()).isFalse();
        }
    }

    @Test
    void kernelBypassesPageCache() throws IOException {
        Path out = directory("place/out");
        byte[] content = new byte[16 * LEAF_BYTES];
        new Random(2).nextBytes(content);
        try (Root root = Root.confined(raw(temporary.resolve("place")));
                TargetTree tree = targetTree(root, "out", rules(DirectIo.ALWAYS));
                TargetFile file = wanted(tree.prepare(fileEntry("f", content.length)))) {
            writeChunks(file, content, new Random(3));
            if (file.isDirect()) {
                assertThat(openFlags(".part")).as("O_DIRECT").anyMatch(flags -> (flags & Paths.O_DIRECT) != 0);
            } else {
                assertThat(Files.getFileStore(out).type())
                        .as("has no direct I/O")
                        .isNotIn("ext4", "xfs", "btrfs");
            }
            file.sync();
            file.seal();
            file.publish();
        }
        assertThat(Files.readAllBytes(out.resolve("f"))).isEqualTo(content);
    }

    /** Returns the open flags of every descriptor of such a file, as the kernel reports them. */
    private static List<Integer> openFlags(String suffix) throws IOException {
        List<Integer> found = new ArrayList<>();
        try (var descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                if (Files.isSymbolicLink(descriptor)
                        && Files.readSymbolicLink(descriptor).toString().endsWith(suffix)) {
                    String info = Files.readString(Path.of("/proc/self/fdinfo").resolve(descriptor.getFileName()));
                    found.add(Integer.parseInt(
                            info.lines()
                                    .filter(line -> line.startsWith("flags:"))
                                    .findFirst()
                                    .orElseThrow()
                                    .substring("flags:".length())
                                    .strip(),
                            8));
                }
            }
        }
        return found;
    }
}
