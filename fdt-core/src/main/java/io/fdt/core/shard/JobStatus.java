package io.fdt.core.shard;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The progress of a job's shards, from the logs of their runs: {@code shard status}.
 *
 * @param shards in the order of their numbers
 */
public record JobStatus(Job job, List<ShardStatus> shards) {
    /** A run writes every two seconds; on a shared file system, other nodes may see that late. */
    private static final long SILENT_MS = 60_000;

    public enum State {
        /** No run has started. */
        WAITING,
        /** A run has recently written to its log. */
        RUNNING,
        /** Runs ended or became silent before everything was in place. */
        STOPPED,
        /** The last run failed to copy some of it. */
        FAILED,
        /** Everything is in place. */
        DONE
    }

    /**
     * The status of one shard.
     *
     * @param exitCode of a run that ended, -1 if none did
     */
    public record ShardStatus(JobShard shard, State state, Entries entries, Bytes bytes, int runs, int exitCode) {}

    public record Entries(long inPlace, long failed) {}

    /** @param done in place, or durable and being received */
    public record Bytes(long done, long moved) {}

    public JobStatus {
        shards = List.copyOf(shards);
    }

    /** Uses wall-clock time, like the timestamps of files. */
    public static JobStatus read(Path directory, long nowMs) {
        Job job = Job.readFrom(directory);
        List<ShardStatus> shards = new ArrayList<>();
        for (JobShard shard : job.shards()) {
            ShardState state = ShardState.read(directory.resolve(shard.fileName()), shard.entries());
            shards.add(new ShardStatus(
                    shard,
                    stateOf(state, nowMs),
                    new Entries(state.entriesInPlace(), state.entriesFailed()),
                    new Bytes(Math.min(shard.bytes(), state.bytesDone()), state.bytesMoved()),
                    state.runs(),
                    state.exitCode()));
        }
        return new JobStatus(job, shards);
    }

    private static State stateOf(ShardState state, long nowMs) {
        if (state.isComplete()) {
            return State.DONE;
        }
        if (state.runs() == 0) {
            return State.WAITING;
        }
        for (Path log : state.unendedLogs()) {
            try {
                if (nowMs - Files.getLastModifiedTime(log).toMillis() < SILENT_MS) {
                    return State.RUNNING;
                }
            } catch (IOException e) {
                throw JobFiles.unreadable(log, e);
            }
        }
        return state.entriesFailed() > 0 ? State.FAILED : State.STOPPED;
    }

    public long shardsIn(State state) {
        return shards.stream().filter(each -> each.state == state).count();
    }

    public long bytesDone() {
        return shards.stream().mapToLong(shard -> shard.bytes.done).sum();
    }

    public long bytesMoved() {
        return shards.stream().mapToLong(shard -> shard.bytes.moved).sum();
    }

    public long entriesFailed() {
        return shards.stream().mapToLong(shard -> shard.entries.failed).sum();
    }
}
