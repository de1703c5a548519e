package io.fdt.core.storage.partial;

import io.fdt.core.budget.Budgets;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.fuzz.FuzzTarget;
import io.fdt.core.fuzz.Mutator;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.source.PathFilter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** What storage reads: journals, which anyone may have damaged, and the globs and paths of a peer. */
public final class StorageFuzz {
    private StorageFuzz() {}

    /** @param place a directory for these targets only */
    public static List<FuzzTarget> targets(Path place) {
        return List.of(new Journals(place), new Globs(), new PathTexts());
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    private static final class Journals implements FuzzTarget {
        private static final long CHUNK_BYTES = 1 << 18;
        private static final long SIZE_BYTES = 10 * CHUNK_BYTES - 5;
        private static final PartialNames NAMES = PartialNames.of(RawPath.ofText("f"));
        private static final long INODE = 4711;

        private final Path file;
        private final int directoryFd;

        Journals(Path place) {
            file = place.resolve(NAMES.journal().text());
            directoryFd = Paths.openat(
                    Paths.AT_FDCWD, RawPath.ofText(place.toString()), Paths.O_RDONLY | Paths.O_DIRECTORY, 0);
            require(directoryFd > 0, "the directory opens");
        }

        @Override
        public String name() {
            return "journal";
        }

        private static Journal.Identity identity() {
            FileEntry source = Entries.file("f", SIZE_BYTES, Entries.metadata(0644, 5, 6));
            return new Journal.Identity(source, DigestKind.XXH3_128, NAMES.nameHash(), INODE);
        }

        /**
         * Returns journals without records, with some in order, with all of them, with repeated and with overlapping
         * ones, stamped or not.
         */
        @Override
        public List<byte[]> corpus() {
            List<byte[]> corpus = new ArrayList<>();
            for (int[] chunks : new int[][] {{}, {0}, {0, 1, 5, 9}, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, {3, 3, 3}}) {
                for (boolean stamped : new boolean[] {false, true}) {
                    corpus.add(journal(chunks, stamped));
                }
            }
            return corpus;
        }

        private byte[] journal(int[] chunks, boolean stamped) {
            try (Journal journal =
                    Journal.create(Disk.KERNEL, directoryFd, NAMES.journal(), RawPath.ofText("f"), identity())) {
                for (int chunk : chunks) {
                    journal.add(List.of(chunk(chunk)), true);
                }
                WriteStamp stamp = journal.stamp();
                if (stamped && stamp != null) {
                    stamp.rest(status());
                }
            }
            try {
                return Files.readAllBytes(file);
            } catch (IOException e) {
                throw new AssertionError("the journal was just written", e);
            }
        }

        private static ChunkRecord chunk(int index) {
            byte[] digest = new byte[16];
            Arrays.fill(digest, (byte) index);
            long offset = index * CHUNK_BYTES;
            return new ChunkRecord(offset, Math.min(CHUNK_BYTES, SIZE_BYTES - offset), digest);
        }

        private static FileStatus status() {
            FileStatus status = new FileStatus();
            status.sizeBytes = SIZE_BYTES;
            status.changedSeconds = 77;
            return status;
        }

        @Override
        public Set<FailureKind> expected() {
            return EnumSet.noneOf(FailureKind.class);
        }

        @Override
        public MemoryBound bound() {
            return new MemoryBound(128 << 10, 64);
        }

        /** Mostly repairs the checksums. */
        @Override
        public byte[] mutate(byte[] sample, byte[] other, SplittableRandom random) {
            byte[] bytes = Mutator.bytes(sample, other, random);
            if (bytes.length < Journal.RECORDS_INDEX || random.nextInt(8) == 0) {
                return bytes;
            }
            byte[] repaired = bytes.clone();
            close(repaired, 0, Journal.HEADER_BYTES);
            for (int at = Journal.RECORDS_INDEX;
                    at + Journal.RECORD_BYTES <= repaired.length;
                    at += Journal.RECORD_BYTES) {
                if (random.nextInt(8) != 0) {
                    close(repaired, at, Journal.RECORD_BYTES);
                }
            }
            return repaired;
        }

        private static void close(byte[] bytes, int from, int length) {
            CRC32C crc = new CRC32C();
            crc.update(bytes, from, length - 4);
            ByteBuffer.wrap(bytes).putInt(from + length - 4, (int) crc.getValue());
        }

        @Override
        public String run(byte[] input) throws IOException {
            Files.write(file, input);
            Journal.Loaded loaded =
                    Journal.load(Disk.KERNEL, directoryFd, NAMES.journal(), RawPath.ofText("f"), identity(), status());
            require(loaded != null, "there is a journal");
            Journal journal = loaded.journal();
            require(journal != null || loaded.records().isEmpty(), "records without a journal");
            long end = 0;
            for (ChunkRecord record : loaded.records()) {
                require(record.offset() >= end && record.lengthBytes() > 0, "records in order");
                require(record.digest().length == loaded.hash().lengthBytes(), "digests of the length that it names");
                end = record.end();
            }
            require(end <= SIZE_BYTES, "records within the file");
            if (journal == null) {
                return String.valueOf(loaded.doubt()).replaceAll("[0-9-]+", "#");
            }
            try (journal) {
                int before = loaded.records().size();
                return (loaded.untouched() ? "untouched " : "to be hashed ") + Math.min(before, 11) + " "
                        + (loaded.doubt() == null ? "" : "doubtful");
            }
        }

        @Override
        public void close() throws IOException {
            Descriptor.closeFd(directoryFd);
            Files.deleteIfExists(file);
        }
    }

    /** The pattern, a NUL, the path. */
    private static final class Globs implements FuzzTarget {
        private static final List<String> PATTERNS = List.of(
                "*",
                "**",
                "a/b",
                "/a/**/b/",
                "*.txt",
                "[a-z]?",
                "[!x]",
                "[[:alpha:]",
                "\\*",
                "dir/***",
                "***",
                "[]-a]",
                "[z-a]",
                "a[");
        private static final int MAX_BYTES = 1024;

        @Override
        public String name() {
            return "glob";
        }

        @Override
        public List<byte[]> corpus() {
            return PATTERNS.stream()
                    .map(pattern -> (pattern + "\0" + "a/b/dir/x.txt").getBytes(StandardCharsets.UTF_8))
                    .toList();
        }

        @Override
        public Set<FailureKind> expected() {
            return EnumSet.noneOf(FailureKind.class);
        }

        @Override
        public MemoryBound bound() {
            return new MemoryBound(64 << 10, 1024);
        }

        @Override
        public byte[] mutate(byte[] sample, byte[] other, SplittableRandom random) {
            return Mutator.text(sample, other, PATTERNS, random);
        }

        @Override
        public String run(byte[] input) {
            int end = 0;
            while (end < input.length && input[end] != 0) {
                end++;
            }
            byte[] pattern = Arrays.copyOf(input, Math.min(end, MAX_BYTES));
            int from = Math.min(end + 1, input.length);
            byte[] path = Arrays.copyOfRange(input, from, Math.min(input.length, from + MAX_BYTES));
            for (int i = 0; i < path.length; i++) {
                path[i] = path[i] == 0 ? (byte) '0' : path[i];
            }
            RawPath name = RawPath.ofBytes(path);
            PathFilter filter =
                    new PathFilter(List.of(new PathRule(false, RawPath.ofBytes(pattern))), Budgets.ofProcess());
            boolean directory = filter.excludes(name, true);
            boolean file = filter.excludes(name, false);
            require(directory || !file, "what leaves a file out leaves a directory out");
            return directory + " " + file;
        }
    }

    /** Paths stay unchanged when converted to text and back, and their display form contains no terminal controls. */
    private static final class PathTexts implements FuzzTarget {
        @Override
        public String name() {
            return "path";
        }

        @Override
        public List<byte[]> corpus() {
            return List.of("a/b", "..", "./x//y", "/é/\u202E", "\uD83D\uDE00").stream()
                    .map(text -> text.getBytes(StandardCharsets.UTF_8))
                    .toList();
        }

        @Override
        public Set<FailureKind> expected() {
            return EnumSet.noneOf(FailureKind.class);
        }

        @Override
        public MemoryBound bound() {
            return new MemoryBound(64 << 10, 4096);
        }

        @Override
        public String run(byte[] input) {
            byte[] bytes = Arrays.copyOf(input, Math.min(input.length, 4095));
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = bytes[i] == 0 ? (byte) '0' : bytes[i];
            }
            RawPath path = RawPath.ofBytes(bytes);
            require(RawPath.ofText(path.text()).equals(path), "text holds every byte");
            require(
                    path.display().codePoints().noneMatch(c -> Character.isISOControl(c) || c == 0x202E),
                    "what is shown steers nobody");
            require(path.isEmpty() || path.parent().lengthBytes() < path.lengthBytes(), "a parent is shorter");
            boolean plain = path.isPlainRelative();
            require(!plain || !("/" + path.text() + "/").contains("/../"), "a plain path leads nowhere else");
            return plain + " " + path.isAbsolute();
        }
    }
}
