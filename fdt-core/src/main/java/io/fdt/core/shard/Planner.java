package io.fdt.core.shard;

import io.fdt.core.digest.Sha256;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Makes a job from a walk. The walk is spooled to the job's directory while its costs are added up. The spool is read
 * once for the few large entries and once more to write the shards, one after the other, because the other entries of
 * each are a contiguous part of the walk. Memory holds the directories above one entry, and the large entries, at most
 * 32 for each shard. The same walk makes identical files. For one thread.
 */
record Planner(Path directory, int shards, Costs costs, SplitAbove split) {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int OWNER_ALL = 0700;

    /** The first pass: spools the walk and adds up its costs. */
    private final class Spool {
        private final Path file;
        private final EntryWriter writer;
        /** The id, when everything has been spooled. */
        private byte[] id = {};

        private long files;
        private long bytes;
        private long cost;
        private long widened;

        Spool(Path file, DataOutputStream out) {
            this.file = file;
            this.writer = new EntryWriter(out);
        }

        void add(FileEntry entry) {
            try {
                writer.add(new PlannedEntry(entry, false));
            } catch (IOException e) {
                throw JobFiles.unwritable(file, e);
            }
            files += entry.kind() == Kind.FILE && isFirst(entry) ? 1 : 0;
            bytes = sum(bytes, entry.sizeBytes());
            cost = sum(cost, costs.of(entry));
            widened += isWidened(entry) ? 1 : 0;
        }
    }

    /** An entry that is assigned individually, with the directories above it. */
    private record Large(PlannedEntry entry, List<FileEntry> above) {}

    /**
     * Writes the shards and finally the job file, which permits runs to start.
     *
     * @param walk provides entries in tree order
     * @param beforeJob writes what else runs need to the directory
     */
    Job plan(Consumer<Consumer<FileEntry>> walk, boolean single, List<RawPath> sources, Runnable beforeJob) {
        Path spool = directory.resolve(JobFiles.SPOOL);
        try {
            Spool spooled = spool(walk, spool);
            RangeCut cut = RangeCut.of(split, spooled.cost / shards);
            Parts parts = new Parts();
            List<Large> large = large(spool, cut, parts, Balance.largeAbove(spooled.cost, shards));
            Job job = deal(spool, spooled, cut, parts, large, new ShardHeader(spooled.id, single, sources));
            beforeJob.run();
            job.writeTo(directory);
            return job;
        } finally {
            deleteIfThere(spool);
        }
    }

    private static void deleteIfThere(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw JobFiles.unwritable(file, e);
        }
    }

    private Spool spool(Consumer<Consumer<FileEntry>> walk, Path file) {
        MessageDigest sha = Sha256.begin();
        try (DataOutputStream out = new DataOutputStream(
                new BufferedOutputStream(new DigestOutputStream(Files.newOutputStream(file), sha), BUFFER_BYTES))) {
            Spool spool = new Spool(file, out);
            walk.accept(spool::add);
            spool.writer.end();
            out.flush();
            spool.id = Arrays.copyOf(sha.digest(), ShardHeader.ID_BYTES);
            return spool;
        } catch (IOException e) {
            throw JobFiles.unwritable(file, e);
        }
    }

    /** A file that is copied in ranges counts once, with the first of them. */
    private static boolean isFirst(FileEntry entry) {
        FileRange range = entry.range();
        return range == null || range.offset() == 0;
    }

    private static long sum(long left, long right) {
        if (left > Long.MAX_VALUE / 2 - right) {
            throw Cause.USAGE.failure("the sources are too large to be added up");
        }
        return left + right;
    }

    /** Whether runs extend the mode of the directory, so that all of them can create entries in it. */
    static boolean isWidened(FileEntry entry) {
        return entry.kind() == Kind.DIRECTORY && (entry.mode() & OWNER_ALL) != OWNER_ALL;
    }

    /** The effect of splitting files into ranges on the job. */
    private static final class Parts {
        private long entries;
        private long files;
        private long cost;
    }

    private static void forEach(Path spool, RangeCut cut, BiConsumer<PlannedEntry, Ancestors> pass) {
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(Files.newInputStream(spool), BUFFER_BYTES))) {
            EntryReader reader = new EntryReader(in);
            Ancestors above = new Ancestors();
            for (PlannedEntry planned = reader.next(); planned != null; planned = reader.next()) {
                above.moveTo(planned.entry().path());
                int count = cut.count(planned.entry());
                for (int i = 0; i < count; i++) {
                    pass.accept(new PlannedEntry(cut.part(planned.entry(), i), planned.implied()), above);
                }
                above.enter(planned.entry());
            }
        } catch (IOException e) {
            throw JobFiles.damaged(spool, String.valueOf(e.getMessage()));
        }
    }

    private List<Large> large(Path spool, RangeCut cut, Parts parts, long above) {
        List<Large> large = new ArrayList<>();
        forEach(spool, cut, (planned, ancestors) -> {
            FileRange range = planned.entry().range();
            parts.entries++;
            parts.files += range != null && range.offset() == 0 ? 1 : 0;
            parts.cost += costs.of(planned.entry());
            if (costs.of(planned.entry()) > above) {
                large.add(new Large(planned, ancestors.copy()));
            }
        });
        return large;
    }

    private Job deal(Path spool, Spool spooled, RangeCut cut, Parts parts, List<Large> large, ShardHeader header) {
        long[] largeCosts =
                large.stream().mapToLong(each -> costs.of(each.entry.entry())).toArray();
        long largeCost = Arrays.stream(largeCosts).sum();
        Balance balance = new Balance(shards, parts.cost - largeCost, largeCosts);
        long above = Balance.largeAbove(spooled.cost, shards);
        try (Sequence sequence = new Sequence(header, dealt(large, balance))) {
            sequence.addLarge();
            forEach(spool, cut, (planned, ancestors) -> {
                long cost = costs.of(planned.entry());
                if (cost <= above) {
                    sequence.add(balance.place(cost), planned, ancestors);
                }
            });
            return new Job(
                    header.job(),
                    parts.entries,
                    spooled.files,
                    costs.entryBytes(),
                    spooled.widened,
                    parts.files,
                    sequence.finish());
        }
    }

    private List<List<Large>> dealt(List<Large> large, Balance balance) {
        List<List<Large>> dealt = new ArrayList<>(shards);
        for (int shard = 0; shard < shards; shard++) {
            dealt.add(new ArrayList<>(0));
        }
        for (int i = 0; i < large.size(); i++) {
            dealt.get(balance.shardOfLarge(i)).add(large.get(i));
        }
        return dealt;
    }

    /** Writes the shards one after the other, the large entries of each first; some contain nothing else. */
    private final class Sequence implements AutoCloseable {
        private final ShardHeader header;
        private final List<List<Large>> large;
        private final List<JobShard> written = new ArrayList<>();
        private ShardWriter writer;
        private Ancestors.Given given = new Ancestors.Given();

        Sequence(ShardHeader header, List<List<Large>> large) {
            this.header = header;
            this.large = large;
            this.writer = newWriter();
        }

        private ShardWriter newWriter() {
            return new ShardWriter(directory.resolve(JobFiles.shard(written.size())), header, costs);
        }

        /** Writes them to the shard that has begun, before everything else. */
        void addLarge() {
            Ancestors.Given givenToLarge = new Ancestors.Given();
            for (Large each : large.get(written.size())) {
                givenToLarge.addMissing(writer::add, each.above);
                writer.add(each.entry);
            }
        }

        /** Adds an entry, and before it the directories above it that the shard lacks. Numbers never decrease. */
        void add(int number, PlannedEntry planned, Ancestors above) {
            advanceTo(number);
            given.addMissing(writer::add, above);
            writer.add(planned);
            given.enter(planned.entry());
        }

        private void advanceTo(int number) {
            while (written.size() < number) {
                written.add(writer.finish(written.size()));
                writer.close();
                writer = newWriter();
                given = new Ancestors.Given();
                addLarge();
            }
        }

        List<JobShard> finish() {
            advanceTo(shards - 1);
            written.add(writer.finish(written.size()));
            return written;
        }

        @Override
        public void close() {
            writer.close();
        }
    }
}
