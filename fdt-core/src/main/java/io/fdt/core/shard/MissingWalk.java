package io.fdt.core.shard;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The entries of a job that are not in place, each after the directories above it. One use, one thread. */
final class MissingWalk implements Planner.Walk, AutoCloseable {
    private final Path directory;
    private final Job job;
    /** Files that could not be put together: all ranges are looked at again, at little cost where they are there. */
    private final Set<RawPath> unjoined;

    private final ArrayDeque<FileEntry> ready = new ArrayDeque<>();
    private final Ancestors above = new Ancestors();
    /** The directories that were given last, from the top down. */
    private final List<FileEntry> given = new ArrayList<>();

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
    public @Nullable FileEntry next() {
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
            giveDirectories();
            ready.add(entry);
            if (entry.kind() == FileEntry.Kind.DIRECTORY) {
                given.add(entry);
            }
        }
        above.enter(entry);
    }

    private void giveDirectories() {
        List<FileEntry> path = above.copy();
        int same = 0;
        while (same < given.size()
                && same < path.size()
                && given.get(same).path().equals(path.get(same).path())) {
            same++;
        }
        given.subList(same, given.size()).clear();
        for (FileEntry each : path.subList(same, path.size())) {
            ready.add(each);
            given.add(each);
        }
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
