package io.fdt.core.host.tune;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.host.Host;
import io.fdt.core.host.tune.TuneJournal.Entry;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Applies a plan and undoes it. Whenever the process ends, even if killed, the journal durably contains the content of
 * each file before fdt first wrote to it. A lock in the state directory prevents concurrent runs.
 *
 * <p>The values belong to the running kernel and are lost at a reboot. With a journal from an earlier boot, as the boot
 * ID shows, undo therefore only restores files that contain fdt's values: all others have already been reset, and the
 * number of an interrupt may now belong to another device.
 */
public final class Tuning {
    private final Path root;
    private final Path state;
    private final KernelFiles kernel;
    private final Balancer balancer;

    /**
     * @param root the root directory of the host, or of a recorded one
     * @param state the state directory, which contains the journal
     */
    public Tuning(Path root, Path state) {
        this(root, state, new KernelFiles(root), root.equals(Path.of("/")) ? new Balancer.ThisHost() : Balancer.NONE);
    }

    Tuning(Path root, Path state, KernelFiles kernel, Balancer balancer) {
        this.root = root;
        this.state = state;
        this.kernel = kernel;
        this.balancer = balancer;
    }

    /** The result for one file. */
    public enum Result {
        /** It now has the requested value. */
        WRITTEN,
        /** It already had the value. */
        UNCHANGED,
        /** It has changed since, so it was left alone. */
        LEFT,
        /** It does not have the requested value. */
        FAILED
    }

    /**
     * A file and its result.
     *
     * @param note why it was left or failed; empty if there is nothing to report
     */
    public record WriteOutcome(String path, Result result, String value, String note) {}

    /** All results, in the order of execution. */
    public record Report(List<WriteOutcome> outcomes, String balancer) {
        public Report {
            outcomes = List.copyOf(outcomes);
        }

        public long count(Result result) {
            return outcomes.stream()
                    .filter(outcome -> outcome.result() == result)
                    .count();
        }
    }

    /** Applies the plan, which must have been made for this state of the host. */
    public Report apply(Host host, TunePlan plan) {
        if (plan.isEmpty()) {
            return new Report(List.of(), "");
        }
        return locked(directory -> applyLocked(directory, host, plan));
    }

    /** Restores the original values; the report has no outcomes if nothing was applied. */
    public Report undo() {
        if (!Files.exists(state)) {
            return new Report(List.of(), "");
        }
        return locked(this::undoLocked);
    }

    private Report applyLocked(StateDirectory directory, Host host, TunePlan plan) {
        TuneJournal before =
                stillBinding(TuneJournal.read(directory), host.machine().bootId());
        String way = wayOfStopping(plan);
        TuneJournal journal = before.with(way, entries(plan));
        journal.store(directory);
        if (!way.isEmpty()) {
            stopBalancer(way);
            // Until now irqbalance could move interrupts; the values to restore are the present ones.
            journal = before.with(way, entries(plan));
            journal.store(directory);
        }
        List<WriteOutcome> outcomes = new ArrayList<>();
        for (Write write : plan.writes()) {
            outcomes.add(write(write.path(), write.format(), write.value()));
        }
        return new Report(outcomes, way);
    }

    /**
     * Returns a journal from this boot completely; of one from an earlier boot, only entries whose files have fdt's
     * value again.
     */
    private TuneJournal stillBinding(@Nullable TuneJournal journal, String bootId) {
        if (journal == null) {
            return TuneJournal.empty(bootId);
        }
        if (journal.bootId().equals(bootId)) {
            return journal;
        }
        Map<String, Entry> ours = new HashMap<>();
        journal.entries().forEach((path, entry) -> {
            String present = present(path);
            if (present != null && entry.format().same(present, entry.value())) {
                ours.put(path, entry);
            }
        });
        return new TuneJournal(bootId, "", ours);
    }

    /** Returns entries with the present content of each file. */
    private List<Entry> entries(TunePlan plan) {
        List<Entry> entries = new ArrayList<>();
        for (Write write : plan.writes()) {
            String present = present(write.path());
            if (present != null) {
                entries.add(new Entry(write.path(), write.format(), write.owner(), present, write.value()));
            }
        }
        return entries;
    }

    private String wayOfStopping(TunePlan plan) {
        try {
            return plan.irqbalancePid() == 0 ? "" : balancer.way(plan.irqbalancePid());
        } catch (IOException e) {
            throw notStopped(e);
        }
    }

    private void stopBalancer(String way) {
        try {
            balancer.stop(way);
        } catch (IOException e) {
            throw notStopped(e);
        }
    }

    private static TransferException notStopped(IOException e) {
        return Cause.TARGET.failure(
                "cannot stop irqbalance, which would move the interrupts again; nothing was changed: " + e.getMessage(),
                e);
    }

    private Report undoLocked(StateDirectory directory) {
        TuneJournal journal = TuneJournal.read(directory);
        if (journal == null) {
            return new Report(List.of(), "");
        }
        Host host = Host.read(root);
        boolean sameBoot = journal.bootId().equals(host.machine().bootId());
        Map<Integer, String> interrupts = interruptNames(host);
        List<Entry> backwards = new ArrayList<>(journal.entries().values());
        Collections.reverse(backwards);
        List<WriteOutcome> outcomes = new ArrayList<>();
        for (Entry entry : backwards) {
            outcomes.add(restore(entry, sameBoot, interrupts));
        }
        Report report = new Report(outcomes, sameBoot ? journal.balancer() : "");
        if (!report.balancer().isEmpty()) {
            try {
                balancer.resume(report.balancer());
            } catch (IOException e) {
                throw Cause.TARGET.failure(
                        "the old values are restored, but irqbalance could not be started: " + e.getMessage(), e);
            }
        }
        if (report.count(Result.FAILED) == 0) {
            TuneJournal.delete(directory);
        }
        return report;
    }

    private static Map<Integer, String> interruptNames(Host host) {
        Map<Integer, String> names = new HashMap<>();
        host.network().nics().stream()
                .flatMap(nic -> nic.queues().interrupts().stream())
                .forEach(interrupt -> names.put(interrupt.number(), interrupt.name()));
        return names;
    }

    private WriteOutcome restore(Entry entry, boolean sameBoot, Map<Integer, String> interrupts) {
        String present = present(entry.path());
        if (present == null) {
            return new WriteOutcome(entry.path(), Result.LEFT, "", "it no longer exists");
        }
        if (present.equals(entry.original())) {
            return new WriteOutcome(entry.path(), Result.UNCHANGED, entry.original(), "");
        }
        if (entry.path().startsWith("proc/irq/")) {
            int number = Integer.parseInt(entry.path().split("/", -1)[2]);
            String name = interrupts.getOrDefault(number, "");
            if (!name.equals(entry.owner())) {
                return new WriteOutcome(
                        entry.path(),
                        Result.LEFT,
                        present,
                        "the interrupt belonged to " + entry.owner() + " and no longer does");
            }
        }
        boolean ours = entry.format().same(present, entry.value());
        if (!sameBoot && !ours) {
            return new WriteOutcome(
                    entry.path(),
                    Result.LEFT,
                    present,
                    "the host was restarted, and fdt did not write the present value");
        }
        WriteOutcome outcome = write(entry.path(), entry.format(), entry.original());
        return ours || outcome.result() == Result.FAILED
                ? outcome
                : new WriteOutcome(
                        entry.path(),
                        outcome.result(),
                        outcome.value(),
                        "another program had written " + present.strip());
    }

    /** Writes the value and verifies it. */
    private WriteOutcome write(String path, Write.Format format, String value) {
        try {
            if (kernel.read(path).equals(value)) {
                return new WriteOutcome(path, Result.UNCHANGED, value, "");
            }
            kernel.write(path, value);
            String now = kernel.read(path);
            return format.same(now, value)
                    ? new WriteOutcome(path, Result.WRITTEN, value, "")
                    : new WriteOutcome(path, Result.FAILED, now, "the kernel accepted it but shows " + now.strip());
        } catch (IOException e) {
            return new WriteOutcome(path, Result.FAILED, value, TransferException.reason(e));
        }
    }

    private @Nullable String present(String path) {
        try {
            return kernel.read(path);
        } catch (IOException absent) {
            return null;
        }
    }

    private Report locked(Function<StateDirectory, Report> work) {
        try {
            makeState();
            try (StateDirectory directory = StateDirectory.open(state);
                    FileChannel channel = directory.lockFile();
                    FileLock lock = channel.tryLock()) {
                if (lock == null) {
                    throw busy();
                }
                return work.apply(directory);
            }
        } catch (OverlappingFileLockException e) {
            throw busy();
        } catch (IOException e) {
            throw Cause.TARGET.failure(
                    "cannot use the state directory " + state + ": " + TransferException.reason(e), e);
        }
    }

    /** Only root may use the state directory; its parents may be accessible to others. */
    private void makeState() throws IOException {
        Path parent = state.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.createDirectories(
                state, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private TransferException busy() {
        return Cause.REFUSED.failure("another fdt tune is running (it holds " + state.resolve("lock") + ")");
    }
}
