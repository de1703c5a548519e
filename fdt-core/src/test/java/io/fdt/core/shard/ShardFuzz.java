package io.fdt.core.shard;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.framedlog.Frame;
import io.fdt.core.fuzz.FuzzTarget;
import io.fdt.core.fuzz.Mutator;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Attribute;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.wire.RunCodec;
import io.fdt.core.wire.RunRecord;
import io.fdt.core.wire.RunRecord.EntryOutcome;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The files in a job's directory, where many nodes write: the entries of a shard, and the logs of its runs. */
public final class ShardFuzz {
    private ShardFuzz() {}

    /** @param place a directory for these targets only */
    public static List<FuzzTarget> targets(Path place) {
        return List.of(new Entries(), new Logs(place));
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    /** What {@link Shard} reads, without its file: header and entries. */
    private static final class Entries implements FuzzTarget {
        private static final ShardHeader HEADER =
                new ShardHeader(new byte[ShardHeader.ID_BYTES], false, List.of(RawPath.ofText("/src/tree")));
        private static final FileRange RANGE = new FileRange(8 << 20, 20 << 20, 8 << 20);

        @Override
        public String name() {
            return "shard";
        }

        private static PlannedEntry entry(String path, Kind kind, long sizeBytes, @Nullable FileRange range) {
            boolean odd = path.endsWith("+");
            RawPath link = kind == Kind.LINK ? RawPath.ofText("../elsewhere") : null;
            List<Attribute> attributes =
                    odd ? List.of(new Attribute(RawPath.ofText("user.a"), new byte[] {1, 2, 3})) : List.of();
            FileEntry entry = new FileEntry(
                    RawPath.ofText(path),
                    kind,
                    sizeBytes,
                    new EntryMetadata(0750, -3, 999_999_999, 7, 8, attributes),
                    odd,
                    link,
                    range);
            return new PlannedEntry(entry, odd && kind == Kind.DIRECTORY);
        }

        @Override
        public List<byte[]> corpus() {
            PlannedEntry top = entry("tree", Kind.DIRECTORY, 0, null);
            PlannedEntry needed = entry("tree/d+", Kind.DIRECTORY, 0, null);
            PlannedEntry file = entry("tree/d+/file", Kind.FILE, 4097, null);
            PlannedEntry sparse = entry("tree/d+/file+", Kind.FILE, 1L << 40, null);
            PlannedEntry range = entry("tree/huge", Kind.FILE, RANGE.lengthBytes(), RANGE);
            PlannedEntry joined = entry("tree/huge", Kind.FILE, RANGE.fileBytes(), RANGE.all());
            PlannedEntry link = entry("tree/link", Kind.LINK, 0, null);
            return List.of(
                    written(HEADER, List.of()),
                    written(HEADER, List.of(top, needed, file, sparse)),
                    written(HEADER, List.of(top, range, joined, link)),
                    written(new ShardHeader(new byte[ShardHeader.ID_BYTES], true, List.of()), List.of(file)));
        }

        private static byte[] written(ShardHeader header, List<PlannedEntry> entries) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try {
                DataOutputStream out = new DataOutputStream(bytes);
                header.writeTo(out);
                EntryWriter writer = new EntryWriter(out);
                for (PlannedEntry entry : entries) {
                    writer.add(entry);
                }
                writer.end();
            } catch (IOException impossible) {
                throw new AssertionError("memory can be written", impossible);
            }
            return bytes.toByteArray();
        }

        @Override
        public Set<FailureKind> expected() {
            return EnumSet.of(FailureKind.USAGE);
        }

        /**
         * The reader trusts a length of up to 64 KiB before it has read that much. An entry of 27 bytes may repeat a
         * path of 4096 bytes. There are three copies of the path while it is read, and as many when it is written and
         * read again.
         */
        @Override
        public MemoryBound bound() {
            return new MemoryBound(512 << 10, 2048);
        }

        private record Read(ShardHeader header, List<PlannedEntry> entries) {}

        private static Read read(byte[] input) {
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(input));
            try {
                ShardHeader header = ShardHeader.readFrom(in);
                EntryReader reader = new EntryReader(in);
                List<PlannedEntry> entries = new ArrayList<>();
                for (PlannedEntry each = reader.next(); each != null; each = reader.next()) {
                    entries.add(each);
                }
                require(reader.count() == entries.size(), "the reader counts what it gave");
                require(reader.next() == null, "after the end comes nothing");
                return new Read(header, entries);
            } catch (IOException damaged) {
                // The same failure that Shard throws.
                throw Cause.USAGE.failure(String.valueOf(damaged.getMessage()), damaged);
            }
        }

        @Override
        public String run(byte[] input) {
            Read first = read(input);
            for (PlannedEntry planned : first.entries) {
                require(planned.entry().path().isPlainRelative(), "paths are plain and relative");
                require(planned.bytes() >= 0, "nothing moves fewer bytes than none");
                require(planned.entry().kind() != Kind.STREAM, "no plan holds a stream");
            }
            byte[] written = written(first.header, first.entries);
            Read second = read(written);
            require(
                    Arrays.equals(written(second.header, second.entries), written),
                    "what was read is written and read the same");
            return "shard " + Math.min(first.entries.size(), 9) + " of "
                    + Math.min(first.header.sources().size(), 9);
        }
    }

    /** What {@link RunRecords} reads. */
    private static final class Logs implements FuzzTarget {
        private static final byte[] SHARD = new byte[32];

        private final Path file;

        Logs(Path place) {
            file = place.resolve("shard-0000");
        }

        @Override
        public String name() {
            return "run-log";
        }

        @Override
        public List<byte[]> corpus() {
            List<byte[]> corpus = new ArrayList<>();
            corpus.add(log(log -> {}));
            corpus.add(log(log -> {
                log.settled(0, EntryOutcome.IN_PLACE, 7, DigestKind.XXH3_128, new byte[16], null);
                log.settled(1, EntryOutcome.FOUND, 8, DigestKind.NONE, new byte[0], null);
                log.progress(15, 7);
                log.settled(
                        2,
                        EntryOutcome.FAILED,
                        9,
                        DigestKind.SHA256,
                        new byte[0],
                        Failure.of(Cause.TARGET, "no space left"));
                log.confirmed(EnumSet.of(Preserve.MODE, Preserve.OWNER));
                log.end(3, 7);
            }));
            return corpus;
        }

        private interface Run {
            void tell(RunLog log);
        }

        private byte[] log(Run run) {
            try {
                try (RunLog log = RunLog.begin(file, SHARD)) {
                    run.tell(log);
                }
                Path written = JobFiles.runsOf(file).get(0);
                byte[] bytes = Files.readAllBytes(written);
                Files.delete(written);
                return bytes;
            } catch (IOException e) {
                throw new AssertionError("the log was just written", e);
            }
        }

        /** Any log can be read up to its damage. */
        @Override
        public Set<FailureKind> expected() {
            return EnumSet.noneOf(FailureKind.class);
        }

        /** A buffer of 64 KiB; a record of the minimum length costs two buffers. */
        @Override
        public MemoryBound bound() {
            return new MemoryBound(256 << 10, 512);
        }

        /** Mostly repairs the checksums. */
        @Override
        public byte[] mutate(byte[] sample, byte[] other, SplittableRandom random) {
            byte[] bytes = Mutator.bytes(sample, other, random);
            if (random.nextInt(8) == 0) {
                return bytes;
            }
            ByteBuffer repaired = ByteBuffer.wrap(bytes.clone());
            int at = RunLog.HEADER_BYTES;
            while (at + Frame.OVERHEAD_BYTES <= bytes.length) {
                int length = repaired.getInt(at);
                if (length < 1 || length > bytes.length - at - Frame.OVERHEAD_BYTES) {
                    break;
                }
                Frame.end(repaired.position(at + Integer.BYTES + length), at);
                at = repaired.position();
            }
            return repaired.array();
        }

        @Override
        public String run(byte[] input) throws IOException {
            Files.write(file, input);
            List<RunRecord> records = new ArrayList<>();
            boolean ours = RunRecords.read(file, SHARD, records::add);
            require(ours || records.isEmpty(), "a log of another shard tells nothing");
            for (RunRecord record : records) {
                if (record instanceof RunRecord.Entry entry) {
                    require(entry.index() >= 0, "an entry has a place in its shard");
                    require(entry.digest().length < RunCodec.MAX_BYTES, "a digest lies in its record");
                }
                require(RunCodec.encode(record).length <= RunCodec.MAX_BYTES, "what was read can be written");
            }
            return ours + " " + Math.min(records.size(), 9);
        }

        @Override
        public void close() throws IOException {
            Files.deleteIfExists(file);
        }
    }
}
