package io.fdt.cli.copy;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.Figures;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.Summary;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What all rounds of {@code --watch} have copied so far, and which failures were reported. Thread-safe. */
final class WatchTotals {
    private static final Summary.Files NO_FILES = new Summary.Files(0, 0, 0, 0, List.of());
    /** More would take memory, and hide the rest. */
    private static final int NAMED_FAILURES = 1_000;

    private final Clock clock;
    private final long startNanos;
    private final Set<RawPath> reported = new HashSet<>();
    private final Map<RawPath, Summary.FailedFile> failures = new LinkedHashMap<>();
    private Summary.Files files = NO_FILES;
    private Summary.Bytes bytes = Summary.Bytes.NOTHING;
    private Summary.Run last = new Summary.Run("", 0, 0, 0, "");
    /** The failure of the last round as a whole. */
    private @Nullable Summary lost;

    WatchTotals(Clock clock) {
        this.clock = clock;
        this.startNanos = clock.nanoTime();
    }

    /** Whether the file has not failed since it was last in place. */
    synchronized boolean isNewFailure(RawPath file, Summary.FailedFile why) {
        failures.remove(file);
        failures.put(file, why);
        if (failures.size() > NAMED_FAILURES) {
            failures.remove(failures.keySet().iterator().next());
        }
        return reported.add(file);
    }

    /** Forgets all other failures: their files are gone. */
    synchronized void keep(Set<RawPath> failed) {
        reported.retainAll(failed);
        failures.keySet().retainAll(failed);
    }

    synchronized void add(Summary round, WatchRound ended) {
        ended.inPlace().forEach(reported::remove);
        ended.inPlace().forEach(failures::remove);
        lost = null;
        Summary.Files more = round.files();
        files = new Summary.Files(
                files.inPlace() + more.inPlace(),
                files.skipped() + more.skipped(),
                0,
                files.deleted() + more.deleted(),
                List.of());
        Summary.Bytes latest = round.bytes();
        bytes = new Summary.Bytes(
                bytes.inPlace() + latest.inPlace(),
                bytes.moved().plus(latest.moved()),
                bytes.resumed() + latest.resumed(),
                bytes.resent() + latest.resent(),
                latest.kept(),
                latest.keptExact());
        if (!round.run().session().isEmpty()) {
            last = round.run();
        }
    }

    /** The round has failed as a whole, and its files are missing until the next. */
    synchronized void onLost(Summary round) {
        lost = round;
    }

    /**
     * Returns a failure if files that were complete are not in place.
     *
     * @param failed those that have failed
     * @param unread directories that cannot be read
     * @param left how many others there are
     * @param signal that ended the command
     */
    synchronized Summary summary(
            Set<RawPath> failed, Map<RawPath, TransferException> unread, int left, @Nullable Cause signal) {
        keep(failed);
        unread.forEach((directory, why) ->
                failures.put(directory, new Summary.FailedFile(directory.display(), why.failure())));
        int missing = failed.size() + unread.size();
        Summary why = lost;
        if (why != null) {
            return with(why.failure(), missing);
        }
        if (left > 0 && signal != null) {
            return with(Failure.of(signal, Figures.count(left, "complete file") + " not copied yet"), missing);
        }
        return missing == 0
                ? with(null, 0)
                : with(
                        Failure.of(
                                Cause.SOME_FILES_FAILED,
                                Figures.count(missing, "file") + " failed and could not be copied later"),
                        missing);
    }

    synchronized Summary failedWith(TransferException why) {
        return with(why.failure(), 0);
    }

    private Summary with(@Nullable Failure failure, int missing) {
        List<Summary.FailedFile> named = missing == 0 ? List.of() : List.copyOf(failures.values());
        Summary.Files all = new Summary.Files(files.inPlace(), files.skipped(), missing, files.deleted(), named);
        Summary.Run run =
                new Summary.Run(last.session(), last.lanes(), 0, clock.nanoTime() - startNanos, last.bottleneck());
        return new Summary(failure, all, bytes, run, null, null);
    }
}
