package io.fdt.core.shard;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The entries of a job that are not in place, each after the directories above it. One use, one thread. */
final class MissingWalk implements Supplier<@Nullable FileEntry>, AutoCloseable {
    private final Path directory;
    private final Job job;
    /** Files that could not be put together: all ranges are looked at again, at little cost where they are there. */
    private final Set<RawPath> unjoined;

    private final ArrayDeque<FileEntry> ready = new ArrayDeque<>();
    private final Ancestors above = new Ancestors();
    /** The directories that were given last, from the top down. */
    private final Ancestors.Given given = new Ancestors.Given();

    private int nextShard;
    private long index;
    private @Nullable Shard shard;
    private @Nullable ShardState state;

    MissingWalk(Path directory, Job job, Set<RawPath> unjoined) {
        this.directory = directory;
        this.job = job;
        this.unjoined = unjoined;
    }

    @Override
    public @Nullable FileEntry get() {
        while (ready.isEmpty()) {
            Shard open = shard;
            ShardState known = state;
            if (open == null || known == null) {
                if (!openNext()) {
                    return null;
                }
                continue;
            }
            PlannedEntry planned = open.next();
            if (planned == null) {
                close();
            } else {
                look(planned, known.isInPlace(index++) && !isUnjoined(planned.entry()));
            }
        }
        return ready.poll();
    }

    private boolean isUnjoined(FileEntry entry) {
        return entry.range() != null && unjoined.contains(entry.path());
    }

    private boolean openNext() {
        if (nextShard == job.shards().size()) {
            return false;
        }
        JobShard next = job.shards().get(nextShard++);
        Path file = directory.resolve(next.fileName());
        state = ShardState.read(file, next.entries());
        shard = Shard.open(file);
        index = 0;
        return true;
    }

    private void look(PlannedEntry planned, boolean inPlace) {
        FileEntry entry = planned.entry();
        above.moveTo(entry.path());
        if (!inPlace && !planned.implied()) {
            given.addMissing(directory -> ready.add(directory.entry()), above);
            ready.add(entry);
            given.enter(entry);
        }
        above.enter(entry);
    }

    @Override
    public void close() {
        Shard open = shard;
        shard = null;
        state = null;
        if (open != null) {
            open.close();
        }
    }
}
