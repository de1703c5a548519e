package io.fdt.core.shard;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** Writes the shards of a job one after the other; a shard without entries is written, too. For one thread. */
final class ShardSequence implements AutoCloseable {
    private final Path directory;
    private final int shards;
    private final ShardHeader header;
    private final Costs costs;
    private final List<JobShard> written = new ArrayList<>();
    private BiConsumer<Integer, ShardWriter> begin = (number, writer) -> {};
    private ShardWriter writer;
    private boolean begun;
    private Ancestors.Given given = new Ancestors.Given();

    ShardSequence(Path directory, int shards, ShardHeader header, Costs costs) {
        this.directory = directory;
        this.shards = shards;
        this.header = header;
        this.costs = costs;
        this.writer = newWriter();
    }

    /** Sets what is written first into a shard, by its number. */
    void onBegin(BiConsumer<Integer, ShardWriter> newBegin) {
        begin = newBegin;
    }

    private ShardWriter newWriter() {
        return new ShardWriter(directory.resolve(JobFiles.shard(written.size())), header, costs);
    }

    /** Adds an entry, and before it the directories above it that the shard lacks. Numbers never decrease. */
    void add(int number, PlannedEntry planned, Ancestors above) {
        advanceTo(number);
        given.addMissing(writer::add, above);
        writer.add(planned);
        given.enter(planned.entry());
    }

    private void advanceTo(int number) {
        beginShard();
        while (written.size() < number) {
            written.add(writer.finish(written.size()));
            writer = newWriter();
            given = new Ancestors.Given();
            begun = false;
            beginShard();
        }
    }

    private void beginShard() {
        if (!begun) {
            begun = true;
            begin.accept(written.size(), writer);
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
