package io.fdt.core.stats;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether other programs kept this host's cores busy during a session, from the kernel's counters for the host and for
 * this process. If the kernel has no such counters, the answer is no. Thread-safe.
 */
public final class ForeignLoad {
    /** Both files count in ticks of 10 ms. */
    private static final int TICKS_A_SECOND = 100;

    private static final double FULL = 0.85;
    /**
     * Others must use more than this many times what this process uses: the other end of a copy on the same host may
     * use as much.
     */
    private static final int OTHERS_USE_MORE = 2;

    private static final int IDLE = 3;
    private static final int IOWAIT = 4;
    private static final int MODES = 8;
    /** The fields 14 and 15 of the process's line, counted from after its name. */
    private static final int USER_OF_PROCESS = 11;

    private static final int RECENT_LOOKS = 11;
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** A monitor may be late. */
    private static final long MONITOR_NANOS = 3 * PERIOD_NANOS;
    /** Most sessions of small files are over sooner, and would spend more on the counters than on their data. */
    private static final long FIRST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final Recent RECENT = new Recent();

    private final Supplier<Ticks> counters;
    /** Null before the first look. */
    volatile @Nullable Ticks start;

    /**
     * Ticks counted since the host was started.
     *
     * @param busy of all cores: neither idle nor waiting for a disk
     * @param all of all cores
     * @param own of this process
     */
    public record Ticks(long busy, long all, long own) {
        private static final Ticks NONE = new Ticks(0, 0, 0);

        /** Whether other programs kept the cores busy between an earlier moment and this one. */
        public boolean areOthersSince(Ticks earlier) {
            long total = all - earlier.all;
            long used = busy - earlier.busy;
            long mine = own - earlier.own;
            return total >= TICKS_A_SECOND && used >= FULL * total && used - mine > (long) OTHERS_USE_MORE * mine;
        }
    }

    /** The last ten seconds of this process, for all of its sessions. */
    static final class Recent {
        private final ArrayDeque<Ticks> looks = new ArrayDeque<>();
        private long nextNanos;

        /** Reads the counters if that is due. */
        synchronized boolean prevails() {
            boolean due = looks.isEmpty() || System.nanoTime() - nextNanos >= 0;
            return due ? look(now(), PERIOD_NANOS) : areOthers();
        }

        /** @param patienceNanos until the counters are read if nobody has told them */
        synchronized boolean look(Ticks ticks, long patienceNanos) {
            nextNanos = System.nanoTime() + patienceNanos;
            looks.addLast(ticks);
            if (looks.size() > RECENT_LOOKS) {
                looks.removeFirst();
            }
            return areOthers();
        }

        private boolean areOthers() {
            return looks.getLast().areOthersSince(looks.getFirst());
        }
    }

    ForeignLoad() {
        this(ForeignLoad::now);
    }

    ForeignLoad(Supplier<Ticks> counters) {
        this.counters = counters;
    }

    /** Called again and again during the session; reads the counters once. */
    void onTick(long elapsedNanos) {
        if (start == null && elapsedNanos >= FIRST_LOOK_NANOS) {
            start = counters.get();
        }
    }

    /** Whether other programs have kept the cores busy since the first look; no if there was none. */
    boolean prevails() {
        Ticks first = start;
        return first != null && counters.get().areOthersSince(first);
    }

    /**
     * Whether other programs have kept the cores busy recently: in the last ten seconds if it is called each second. It
     * reads the kernel's counters at most once a second.
     */
    public static boolean prevailedRecently() {
        return RECENT.prevails();
    }

    /** The same from counters that a monitor reads each second anyway; while it does, they are not read again. */
    public static boolean prevailedRecently(Ticks seen) {
        return RECENT.look(seen, MONITOR_NANOS);
    }

    private static Ticks now() {
        try (BufferedReader lines = Files.newBufferedReader(Path.of("/proc/stat"), StandardCharsets.ISO_8859_1)) {
            String[] modes = String.valueOf(lines.readLine()).split(" +", -1);
            long all = 0;
            for (int mode = 0; mode < MODES; mode++) {
                all += Long.parseLong(modes[1 + mode]);
            }
            long idle = Long.parseLong(modes[1 + IDLE]) + Long.parseLong(modes[1 + IOWAIT]);
            String process = Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1);
            String[] fields = process.substring(process.lastIndexOf(')') + 2).split(" ", -1);
            long own = Long.parseLong(fields[USER_OF_PROCESS]) + Long.parseLong(fields[USER_OF_PROCESS + 1]);
            return new Ticks(all - idle, all, own);
        } catch (IOException | IndexOutOfBoundsException | NumberFormatException notLinux) {
            return Ticks.NONE;
        }
    }
}
