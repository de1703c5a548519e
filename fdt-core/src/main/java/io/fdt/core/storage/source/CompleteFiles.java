package io.fdt.core.storage.source;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.Pauses;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor.Writers;
import io.fdt.core.storage.posix.FileStatus.State;
import io.fdt.core.storage.posix.TreeWatch;
import io.fdt.core.storage.source.WatchedTree.Look;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides which files of a directory are complete and not copied yet. A file is complete if two looks find it unchanged
 * in size and time, and no process of this host has it open for writing. Between the looks lies {@link #QUIET_NANOS}
 * after a process has closed the file or renamed it into place, and {@link #SETTLE_NANOS} if it was found in another
 * way; {@link #SHARED_SETTLE_NANOS} where other hosts may write it, whose writes come late. A new file is not complete
 * before it is closed, unless it is a link to one that nobody has opened by this name. Where the kernel does not tell
 * who has a file open, that is known only of files that have appeared while they were watched. Not thread-safe.
 */
final class CompleteFiles implements TreeWatch.Events {
    static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);
    static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(5);
    static final long SHARED_SETTLE_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** For events that do not come, such as those of a directory that is moved while it is scanned. */
    static final long RESCAN_NANOS = TimeUnit.MINUTES.toNanos(10);
    /** While events do not report everything. */
    static final long FREQUENT_RESCAN_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** A file that is open or has failed is looked at again after this at the latest. */
    static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** In one round; more would keep new files waiting, and names in memory. */
    private static final int MAX_TAKEN = 10_000;
    /** In one step. Each opens a file, which is an event, too, and the kernel keeps 16,384 unless told otherwise. */
    static final int MAX_LOOKS = 4_000;

    private static final Pauses RETRY_NANOS = new Pauses(TimeUnit.SECONDS.toNanos(1), LONGEST_NANOS);
    /** Many events come at once; each look at the candidates serves all of them. */
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** Scanning takes at most a tenth of the time. */
    private static final int RESCAN_SHARE = 10;

    private final WatchedTree tree;
    private final Clock clock;
    private final Map<RawPath, Candidate> candidates = new HashMap<>();
    private final Map<RawPath, State> copied = new HashMap<>();
    private final List<RawPath> newDirectories = new ArrayList<>();
    private final Set<RawPath> ready = new LinkedHashSet<>();
    private long nowNanos;
    private long nextLookNanos;
    private long nextScanNanos;
    private long earliestScanNanos;
    private long lastStepNanos;

    private static final class Candidate {
        private @Nullable State seen;
        private long settleNanos;
        private long dueNanos;
        /** It was created while it was watched, and not closed since. */
        private boolean unclosed;
        /** A process has opened it by this name since it was created. */
        private boolean opened;
        /** It is ready, or being copied. */
        private boolean handedOut;
        /** Something happened to it after it was handed out. */
        private boolean changed;

        /** It was complete when it was last looked at. */
        private boolean complete;

        private int failures;
    }

    CompleteFiles(WatchedTree tree, Clock clock) {
        this.tree = tree;
        this.clock = clock;
        this.nowNanos = clock.nanoTime();
        this.nextScanNanos = nowNanos;
        this.earliestScanNanos = nowNanos;
        this.nextLookNanos = nowNanos + RESCAN_NANOS;
        this.lastStepNanos = nowNanos - STEP_NANOS;
    }

    @Override
    public void onClosed(RawPath file) {
        Candidate known = candidates.computeIfAbsent(file, absent -> new Candidate());
        takeBack(file, known);
        known.unclosed = false;
        known.settleNanos = QUIET_NANOS;
        known.changed = true;
        if (!known.handedOut) {
            known.seen = null;
            lookAfter(known, 0);
        }
    }

    @Override
    public void onCreated(RawPath file) {
        Candidate known = candidates.get(file);
        if (known != null) {
            takeBack(file, known);
        }
        if (known == null || !known.handedOut) {
            known = new Candidate();
            candidates.put(file, known);
        }
        // Otherwise another file by this name. If its copy opens this one, that counts as an open, too.
        known.unclosed = true;
        known.opened = false;
        known.changed = true;
        known.settleNanos = settleNanos();
        if (!known.handedOut) {
            lookAfter(known, known.settleNanos);
        }
    }

    /** A file that changes is not ready any more, unless it is being copied. */
    private void takeBack(RawPath file, Candidate candidate) {
        if (candidate.handedOut && ready.remove(file)) {
            candidate.handedOut = false;
            candidate.complete = false;
        }
    }

    @Override
    public void onOpened(RawPath file) {
        Candidate known = candidates.get(file);
        if (known != null) {
            known.opened = true;
        }
    }

    @Override
    public void onDirectory(RawPath directory) {
        newDirectories.add(directory);
    }

    @Override
    public void onLost() {
        nextScanNanos = Math.max(nowNanos, earliestScanNanos);
        for (Candidate candidate : candidates.values()) {
            if (candidate.unclosed) {
                // It may have been closed.
                candidate.unclosed = false;
                lookAfter(candidate, candidate.settleNanos);
            }
        }
    }

    private long settleNanos() {
        return tree.reportsAll() ? SETTLE_NANOS : SHARED_SETTLE_NANOS;
    }

    private void lookAfter(Candidate candidate, long nanos) {
        candidate.dueNanos = nowNanos + nanos;
        if (candidate.dueNanos - nextLookNanos < 0) {
            nextLookNanos = candidate.dueNanos;
        }
    }

    /** How long {@link #step} has nothing to do, if there is no event. */
    long pauseMs() {
        long now = clock.nanoTime();
        long nextNanos = newDirectories.isEmpty() ? Math.min(nextScanNanos - now, nextLookNanos - now) : 0;
        long pauseNanos = Math.max(nextNanos, lastStepNanos + STEP_NANOS - now);
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(pauseNanos + 999_999));
    }

    /** Takes in events, and does what is due. */
    void step() {
        nowNanos = clock.nanoTime();
        tree.report(this);
        if (nowNanos - lastStepNanos < STEP_NANOS) {
            return;
        }
        lastStepNanos = nowNanos;
        if (nowNanos - nextScanNanos >= 0) {
            newDirectories.clear();
            scanAll();
        }
        for (RawPath directory : newDirectories) {
            tree.scan(directory, this::onFound);
        }
        newDirectories.clear();
        if (!tree.reportsAll()) {
            nextScanNanos = Math.min(nextScanNanos, Math.max(nowNanos + FREQUENT_RESCAN_NANOS, earliestScanNanos));
        }
        if (nowNanos - nextLookNanos >= 0) {
            lookAtAll();
        }
    }

    private void scanAll() {
        Set<RawPath> there = new HashSet<>();
        tree.scan(RawPath.EMPTY, (file, state) -> {
            there.add(file);
            onFound(file, state);
        });
        copied.keySet().retainAll(there);
        long endNanos = clock.nanoTime();
        earliestScanNanos = endNanos + RESCAN_SHARE * (endNanos - nowNanos);
        long usualNanos = tree.reportsAll() ? RESCAN_NANOS : FREQUENT_RESCAN_NANOS;
        nextScanNanos = Math.max(nowNanos + usualNanos, earliestScanNanos);
    }

    private void onFound(RawPath file, State state) {
        if (!candidates.containsKey(file) && !state.equals(copied.get(file))) {
            Candidate added = new Candidate();
            added.seen = state;
            added.settleNanos = settleNanos();
            candidates.put(file, added);
            lookAfter(added, added.settleNanos);
        }
    }

    private void lookAtAll() {
        nextLookNanos = nowNanos + RESCAN_NANOS;
        int looks = 0;
        Iterator<Map.Entry<RawPath, Candidate>> all = candidates.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<RawPath, Candidate> each = all.next();
            Candidate candidate = each.getValue();
            if (candidate.handedOut) {
                continue;
            }
            if (nowNanos - candidate.dueNanos < 0) {
                lookAfter(candidate, candidate.dueNanos - nowNanos);
                continue;
            }
            if (looks++ == MAX_LOOKS) {
                nextLookNanos = nowNanos;
                return;
            }
            // Before the look opens it.
            candidate.unclosed &= candidate.opened;
            Look look = tree.look(each.getKey());
            if (look == null || look.state().equals(copied.get(each.getKey()))) {
                all.remove();
            } else if (isComplete(candidate, look)) {
                candidate.complete = true;
                candidate.handedOut = true;
                candidate.changed = false;
                ready.add(each.getKey());
            }
        }
    }

    private boolean isComplete(Candidate candidate, Look look) {
        candidate.complete = false;
        State before = candidate.seen;
        candidate.seen = look.state();
        boolean open = look.writers() == Writers.SOME || (look.writers() == Writers.UNKNOWN && candidate.unclosed);
        if (open) {
            // Its end is reported, except by other hosts and for files that are open under another name.
            lookAfter(candidate, tree.reportsAll() ? LONGEST_NANOS : candidate.settleNanos);
            return false;
        }
        candidate.unclosed = false;
        if (look.state().equals(before)) {
            return true;
        }
        lookAfter(candidate, candidate.settleNanos);
        return false;
    }

    /** Returns complete files, each once until its copy {@link #onEnd ends}. */
    List<RawPath> take() {
        List<RawPath> taken = new ArrayList<>();
        Iterator<RawPath> all = ready.iterator();
        while (all.hasNext() && taken.size() < MAX_TAKEN) {
            taken.add(all.next());
            all.remove();
        }
        // The files of a directory together.
        Collections.sort(taken);
        return taken;
    }

    /** Returns the files whose last copy failed. */
    Set<RawPath> failed() {
        Set<RawPath> failed = new HashSet<>();
        candidates.forEach((file, candidate) -> {
            if (candidate.failures > 0) {
                failed.add(file);
            }
        });
        return failed;
    }

    /** Returns the number of complete files that are not copied, apart from those that failed. */
    int leftCount() {
        return (int) candidates.values().stream()
                .filter(candidate -> candidate.complete && candidate.failures == 0)
                .count();
    }

    /** Returns the number of files that may be open, or change. Looks at each of them. */
    int incompleteCount() {
        int count = 0;
        for (Map.Entry<RawPath, Candidate> each : candidates.entrySet()) {
            Candidate candidate = each.getValue();
            // Some that were reported are not to be copied, or are gone.
            if (!candidate.complete && candidate.failures == 0 && tree.look(each.getKey()) != null) {
                count++;
            }
        }
        return count;
    }

    boolean hasReady() {
        return !ready.isEmpty();
    }

    /**
     * Notes what became of files that were taken.
     *
     * @param failed are tried again after a pause; those that are neither in place nor failed, at once
     * @param removing whether files that are in place are removed from the directory; some may stay
     */
    void onEnd(List<RawPath> taken, Set<RawPath> inPlace, Set<RawPath> failed, boolean removing) {
        nowNanos = clock.nanoTime();
        for (RawPath file : taken) {
            Candidate candidate = candidates.get(file);
            if (candidate == null) {
                continue;
            }
            candidate.handedOut = false;
            candidate.complete &= !candidate.changed;
            // What has a new name may be opened next.
            long soonNanos = candidate.unclosed ? candidate.settleNanos : 0;
            if (failed.contains(file)) {
                candidate.failures++;
                lookAfter(candidate, RETRY_NANOS.after(candidate.failures));
            } else if (!inPlace.contains(file)) {
                lookAfter(candidate, soonNanos);
            } else {
                candidate.failures = 0;
                State state = candidate.seen;
                if (state != null && (!removing || tree.look(file) != null)) {
                    copied.put(file, state);
                }
                if (candidate.changed) {
                    candidate.seen = null;
                    lookAfter(candidate, soonNanos);
                } else {
                    candidates.remove(file);
                }
            }
        }
    }
}
