package io.fdt.core.shard;

import io.fdt.core.basic.NewFile;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.source.SourceProblems;
import io.fdt.core.storage.source.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Splits sources into a job: {@code shard plan}. The sources are walked once, in tree order, so the same trees make the
 * same job wherever they are walked.
 */
public final class JobPlanning {
    private JobPlanning() {}

    /**
     * Writes the job into the directory, which is created if it does not exist. Replaces a plan on which no run has
     * worked. A plan that is interrupted is not a job, because the job file is written last, after the key.
     *
     * @param selection of absolute sources
     * @param key provides the line of the key for all runs, or null; called once, when everything else is written
     * @param warnings receives what is left out because it is not a file, directory or link
     * @throws TransferException USAGE if the directory contains a plan that was worked on, or another planner writes
     *     there; SOURCE if something cannot be read, because the job would be finished without it
     */
    public static Job plan(
            Path directory,
            TransferPlan selection,
            Set<Preserve> preserve,
            Division division,
            Supplier<@Nullable String> key,
            Consumer<String> warnings) {
        if (division.shards() < 1 || division.shards() > Job.MAX_SHARDS) {
            throw Cause.USAGE.failure("a job has 1 to " + Job.MAX_SHARDS + " shards");
        }
        SourceProblems problems = new SourceProblems() {
            @Override
            public void onFailed(RawPath path, TransferException reason) {
                throw reason;
            }

            @Override
            public void onSkipped(RawPath path, String reason) {
                warnings.accept(path.display() + ": " + reason);
            }
        };
        try (Root root = Root.unconfined(RawPath.EMPTY);
                SourceTree tree = SourceTree.planned(root, selection, preserve, problems)) {
            tree.refuseCollisions();
            PlanLock lock = lock(directory);
            try {
                prepare(directory);
                return new Planner(directory, division.shards(), division.costs(), division.split())
                        .plan(
                                each -> forEach(tree, each),
                                tree.isSingleFile(),
                                selection.sources(),
                                () -> writeKey(directory, key.get()));
            } finally {
                lock.release();
            }
        }
    }

    private static void forEach(SourceTree tree, Consumer<FileEntry> each) {
        for (FileEntry entry = tree.next(); entry != null; entry = tree.next()) {
            each.accept(entry);
        }
    }

    private static void writeKey(Path directory, @Nullable String line) {
        if (line != null) {
            JobKey.write(directory, line);
        }
    }

    private static PlanLock lock(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw JobFiles.unwritable(directory, e);
        }
        return PlanLock.take(directory);
    }

    private static void prepare(Path directory) {
        List<Path> runs = JobFiles.ofRuns(directory);
        if (!runs.isEmpty()) {
            throw Cause.USAGE
                    .at(JobFiles.shown(directory))
                    .failure("contains a job that has already run, as "
                            + JobFiles.shown(Path.of(String.valueOf(runs.get(0).getFileName())))
                            + " shows; continue with it, or plan into another directory");
        }
        try {
            // First, and durably: without it the directory contains no complete plan, and none reappears with other
            // shards.
            if (Files.deleteIfExists(directory.resolve(JobFiles.JOB))) {
                NewFile.flushDirectory(directory);
            }
            for (Path file : JobFiles.ofPlan(directory)) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw JobFiles.unwritable(directory, e);
        }
    }
}
