package io.fdt.core.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.Rules;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.source.SourceProblems;
import io.fdt.core.storage.source.SourceTree;
import io.fdt.core.storage.target.TargetTree;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A base class that gives every test its own directory, and fails a test that leaves a descriptor open. */
public abstract class StorageTest {
    protected static final int LEAF_BYTES = 128 * 1024;
    protected static final int CHUNK_BYTES = 256 * 1024;
    protected static final Set<Preserve> PRESERVED = EnumSet.of(Preserve.MODE, Preserve.TIMES, Preserve.LINKS);

    @TempDir
    protected Path temporary = Path.of("unset");

    protected final List<String> failed = new ArrayList<>();
    protected final List<String> skipped = new ArrayList<>();
    private Set<String> openBefore = Set.of();

    protected final SourceProblems problems = new SourceProblems() {
        @Override
        public void onFailed(RawPath path, TransferException reason) {
            failed.add(path.display() + " | " + reason.kind() + " | " + reason.getMessage());
        }

        @Override
        public void onSkipped(RawPath path, String reason) {
            skipped.add(path.display() + " | " + reason);
        }
    };

    @BeforeEach
    protected void noteOpenDescriptors() throws IOException {
        warmUp();
        openBefore = openDescriptors().keySet();
    }

    /** Opens the descriptors that a process opens only once and keeps, which are not leaks. */
    private void warmUp() throws IOException {
        Path file = temporary.resolve("warm-up");
        Files.writeString(file, "x");
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, "warm-up")) {
            FileEntry entry = tree.next();
            assertThat(entry).isNotNull();
        }
        Files.delete(file);
    }

    @AfterEach
    protected void refuseLeakedDescriptors() throws IOException {
        Map<String, String> leaked = openDescriptors();
        leaked.keySet().removeAll(openBefore);
        assertThat(leaked).as("descriptors that the test left open").isEmpty();
    }

    /** Returns the descriptors of this test's files. Other tests of the process have their own. */
    protected final Map<String, String> openDescriptors() throws IOException {
        Map<String, String> open = new TreeMap<>();
        try (var listed = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path fd : listed) {
                try {
                    open.put(
                            fd.getFileName().toString(),
                            Files.readSymbolicLink(fd).toString());
                } catch (IOException closedMeanwhile) {
                    // The descriptor of this listing itself.
                }
            }
        }
        open.values().removeIf(target -> !target.contains(temporary.toString()));
        return open;
    }

    protected static RawPath raw(Path path) {
        return RawPath.ofText(path.toString());
    }

    protected static RawPath raw(String text) {
        return RawPath.ofText(text);
    }

    protected static RawPath rawBytes(int... bytes) {
        byte[] copy = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            copy[i] = (byte) bytes[i];
        }
        return RawPath.ofBytes(copy);
    }

    protected Path directory(String name) throws IOException {
        return Files.createDirectories(temporary.resolve(name));
    }

    protected Path file(String name, String content) throws IOException {
        Path file = temporary.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    /** The JDK's own method rounds to microseconds and changes times before 1970 to 1970. */
    protected static void setModified(Path file, long seconds, int nanos) {
        int fd = Paths.openat(Paths.AT_FDCWD, raw(file), Paths.O_PATH | Paths.O_NOFOLLOW, 0);
        assertThat(FileMetadata.setModified(fd, seconds, nanos)).isZero();
        Descriptor.closeFd(fd);
    }

    protected static FileStatus statusOf(Path file) {
        FileStatus status = new FileStatus();
        assertThat(FileMetadata.statat(Paths.AT_FDCWD, raw(file), Paths.AT_SYMLINK_NOFOLLOW, status))
                .isZero();
        return status;
    }

    protected SourceTree sourceTree(Root root, String... sources) {
        return sourceTree(root, PRESERVED, List.of(), null, sources);
    }

    protected SourceTree sourceTree(
            Root root, Set<Preserve> preserve, List<PathRule> rules, @Nullable List<RawPath> names, String... sources) {
        List<RawPath> arguments = new ArrayList<>();
        for (String source : sources) {
            arguments.add(raw(source));
        }
        return new SourceTree(
                root,
                TransferPlan.from(arguments).with(CopyValue.NAMES, names).with(CopyValue.RULES, rules),
                preserve,
                problems);
    }

    protected static List<FileEntry> all(SourceTree tree) {
        List<FileEntry> entries = new ArrayList<>();
        for (FileEntry entry = tree.next(); entry != null; entry = tree.next()) {
            entries.add(entry);
        }
        return entries;
    }

    /** Returns paths as {@code path}, {@code path/} for a directory, {@code path@} for a link; in order of names. */
    protected static List<String> shape(List<FileEntry> entries) {
        return entries.stream()
                .map(entry -> entry.path().display()
                        + switch (entry.kind()) {
                            case DIRECTORY -> "/";
                            case LINK -> "@";
                            case FILE, STREAM -> "";
                        })
                .sorted()
                .toList();
    }

    protected static TransferPlan rules(Existing existing) {
        return rules(existing, PRESERVED);
    }

    protected static TransferPlan rules(Existing existing, Set<Preserve> preserve) {
        return Rules.of(existing, TargetRules.Comparison.TIME, Durability.END, true, preserve);
    }

    protected static TargetTree targetTree(Root root, String target, TransferPlan rules) {
        return new TargetTree(root, raw(target), rules, DigestKind.XXH3_128, CHUNK_BYTES, false);
    }

    protected static FileEntry fileEntry(String path, long sizeBytes) {
        return fileEntry(raw(path), sizeBytes, 0644);
    }

    protected static FileEntry fileEntry(RawPath path, long sizeBytes, int mode) {
        return Entries.file(path, sizeBytes, Entries.metadata(mode, 1_500_000_000L, 123_456_789));
    }

    protected static FileEntry sparseEntry(String path, long sizeBytes) {
        return new FileEntry(raw(path), Kind.FILE, sizeBytes, Entries.metadata(0644, 1_500_000_000L, 1), true, null);
    }

    protected static FileEntry directoryEntry(String path, int mode) {
        return Entries.directory(raw(path), Entries.metadata(mode, 1_400_000_000L, 987_654_321));
    }

    protected static FileEntry linkEntry(String path, String linkTarget) {
        return Entries.link(raw(path), raw(linkTarget), Entries.metadata(0777, 1_300_000_000L, 5));
    }

    /** Direct memory with its address. */
    public record Memory(ByteBuffer buffer, long address) {
        public static Memory of(int length) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(length);
            return new Memory(buffer, Libc.addressOf(buffer));
        }

        public static Memory of(byte[] bytes) {
            Memory memory = of(Math.max(1, bytes.length));
            memory.buffer.put(0, bytes);
            return memory;
        }

        public byte[] bytes(int length) {
            byte[] copy = new byte[length];
            buffer.get(0, copy);
            return copy;
        }
    }

    protected static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    protected static void write(TargetFile file, byte[] content, long offset) {
        Memory memory = Memory.of(content);
        try {
            file.write(memory.address(), content.length, offset);
        } finally {
            Reference.reachabilityFence(memory.buffer());
        }
    }

    protected static TargetFile wanted(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Wanted.class);
        return ((Outcome.Wanted) outcome).file();
    }

    /** Returns the failure of preparing this entry. */
    protected static TransferException failure(Supplier<Outcome> preparing) {
        return assertThatExceptionOfType(TransferException.class)
                .isThrownBy(preparing::get)
                .actual();
    }

    /** Writes a whole file, as a session does. */
    protected static void deliver(Target target, FileEntry entry, byte[] content) {
        try (TargetFile file = wanted(target.prepare(entry))) {
            write(file, content, 0);
            file.sync();
            file.seal();
            file.publish();
        }
    }

    /** Returns the contents of the partial of an unfinished file. */
    protected static byte[] inPartial(Path directory, String name, long offset, int length) {
        Path partial = directory.resolve(PartialNames.of(raw(name)).partial().text());
        try (RandomAccessFile opened = new RandomAccessFile(partial.toFile(), "r")) {
            byte[] bytes = new byte[length];
            opened.seek(offset);
            opened.readFully(bytes);
            return bytes;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    protected static byte[] readAll(SourceFile file, int length) {
        Memory memory = Memory.of(length + 1);
        int count = file.read(memory.address(), length + 1, 0);
        return memory.bytes(count);
    }

    protected static List<String> namesIn(Path directory) throws IOException {
        try (var listed = Files.list(directory)) {
            return listed.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    private static final int RLIMIT_NOFILE = 7;

    /** Runs the action while the process may open only this many more descriptors. */
    protected static void withDescriptors(int left, Runnable action) throws IOException {
        ByteBuffer limit = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
        assertThat(Libc.getrlimit(RLIMIT_NOFILE, Libc.addressOf(limit))).isZero();
        long before = limit.getLong(0);
        assertThat(limitDescriptors(limit.putLong(0, lowestLimitThatLeaves(left))))
                .isZero();
        try {
            action.run();
        } finally {
            limitDescriptors(limit.putLong(0, before));
        }
    }

    private static long limitDescriptors(ByteBuffer limit) {
        long setrlimit = System.getProperty("os.arch").equals("aarch64") ? 164 : 160;
        return Libc.syscall(setrlimit, RLIMIT_NOFILE, Libc.addressOf(limit), 0, 0, 0);
    }

    private static long lowestLimitThatLeaves(int descriptors) throws IOException {
        Set<Integer> open = new HashSet<>();
        try (var listed = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            listed.forEach(each -> open.add(Integer.parseInt(each.getFileName().toString())));
        }
        // The descriptors of the listing itself are closed by now.
        open.removeIf(fd -> !Files.isSymbolicLink(Path.of("/proc/self/fd/" + fd)));
        int limit = 0;
        for (int free = 0; free <= descriptors; limit++) {
            free += open.contains(limit) ? 0 : 1;
        }
        return limit - 1L;
    }
}
