package io.fdt.core.shard;

import io.fdt.core.basic.Figures;
import io.fdt.core.basic.NewFile;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The names in a job's directory. Files get them as {@link NewFile}s, so a name always refers to a complete file, on
 * every node.
 */
final class JobFiles {
    static final String JOB = "job";
    /** Held while the job is planned. */
    static final String LOCK = "lock";

    static final String SPOOL = "spool";
    static final String RECEIPT = "receipt.json";
    static final String KEY = "key";
    /** The shard that {@code finish} creates and runs itself. */
    static final String DIRECTORIES = "shard-directories";
    /** The prefix of jobs that copy missing entries again; a number follows. */
    static final String AGAIN_PREFIX = "again-";

    private static final String SHARD_PREFIX = "shard-";
    private static final String RUN_PREFIX = "run-";
    private static final String RUN_SUFFIX = ".log";

    private JobFiles() {}

    /** {@code shard-0007}. */
    static String shard(int number) {
        return SHARD_PREFIX + Figures.text("%04d", number);
    }

    /** The part for a shard in the names of other files: {@code 0007}. */
    static String nameOf(Path shardFile) {
        String name = String.valueOf(shardFile.getFileName());
        if (!name.startsWith(SHARD_PREFIX)) {
            throw Cause.USAGE.at(shown(shardFile)).failure("not a shard; shards are named shard-0000 and so on");
        }
        return name.substring(SHARD_PREFIX.length());
    }

    static Path receiptOf(Path shardFile) {
        return shardFile.resolveSibling("receipt-" + nameOf(shardFile) + ".json");
    }

    static Path newRun(Path shardFile, String id) {
        return shardFile.resolveSibling(RUN_PREFIX + nameOf(shardFile) + "-" + id + RUN_SUFFIX);
    }

    /** The logs of all runs of a shard, in no particular order. */
    static List<Path> runsOf(Path shardFile) {
        return matching(directoryOf(shardFile), RUN_PREFIX + nameOf(shardFile) + "-*" + RUN_SUFFIX);
    }

    static List<Path> allRuns(Path directory) {
        return matching(directory, RUN_PREFIX + "*" + RUN_SUFFIX);
    }

    /** All files of a plan in the directory, except the job file, which makes it a complete plan. */
    static List<Path> ofPlan(Path directory) {
        List<Path> files = new ArrayList<>(matching(directory, SHARD_PREFIX + "[0-9]*"));
        files.addAll(matching(directory, SPOOL + "*"));
        files.addAll(matching(directory, NewFile.LEFTOVERS));
        return files;
    }

    /** Receipts and logs of runs, which would be lost with their plan. */
    static List<Path> ofRuns(Path directory) {
        List<Path> files = new ArrayList<>(allRuns(directory));
        files.addAll(matching(directory, "receipt*.json"));
        return files;
    }

    static List<Path> matching(Path directory, String glob) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, glob)) {
            files.forEach(found::add);
        } catch (NoSuchFileException none) {
            return found;
        } catch (IOException e) {
            throw unreadable(directory, e);
        }
        Collections.sort(found);
        return found;
    }

    /** Whether the directory is that of a job of missing entries. */
    static boolean isAgain(Path directory) {
        Path name = directory.toAbsolutePath().normalize().getFileName();
        return String.valueOf(name).startsWith(AGAIN_PREFIX);
    }

    static Path directoryOf(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        return parent == null ? Path.of("/") : parent;
    }

    static TransferException unreadable(Path file, IOException cause) {
        return Cause.USAGE.failure("cannot read " + shown(file) + ": " + TransferException.reason(cause), cause);
    }

    static TransferException damaged(Path file, String why) {
        return Cause.USAGE.failure(shown(file) + " is damaged: " + why);
    }

    static TransferException unwritable(Path file, IOException cause) {
        return Cause.NO_RECORD.failure("cannot write " + shown(file) + ": " + TransferException.reason(cause), cause);
    }

    static String shown(Path file) {
        return RawPath.ofText(file.toString()).display();
    }
}
