package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.UnnamedMemory;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Shows the processes of one server which of their sessions writes which file: by locks of the kernel on files in
 * memory, which only these processes have, so that nobody else can hold one, and what a killed process held is free at
 * once. A session has a number among those of all processes; the locks on a file of a tree begin at the hash of its
 * path, and the byte of that session shows who holds it. Nothing is shown before another process shares them.
 *
 * <p>They last as long as the process. {@link #share}, {@link #forAnother} and {@link #isShared} are thread-safe;
 * everything else is for one thread at a time.
 */
public final class ClaimLocks {
    /** The kernel examines all locks of a file for each call, so there are several. */
    public static final int FILES = 16;

    /** In place of a session. */
    public static final int NONE = -1;

    private static final int FILE_BITS = 4;
    private static final int PROCESSES = 1 << 7;
    private static final int SESSIONS = 1 << 10;
    private static final int SESSION_BITS = 17;
    private static final int HASH_BITS = 44;
    private static final int RANK_BITS = 44;

    /** Above the locks on paths, in the first file. */
    private static final long RANKS = 1L << (HASH_BITS + SESSION_BITS);

    private static final long WISHES = RANKS << 1;
    private static final long OWN_PROCESSES = WISHES | (1L << (2 * SESSION_BITS));

    /** Of the content of the first file, for each session: its name, which ends with zeros. */
    private static final int NAME_BYTES = 128;

    private static final int SEEK_SET = 0;

    private final ByteBuffer name = ByteBuffer.allocateDirect(NAME_BYTES);
    private Runnable onShared = () -> {};
    private volatile int[] files = {};
    private int process;
    private int lastSession = -1;
    /** The ranks that the sessions of this process show; negative for none. */
    private final long[] ranks = new long[SESSIONS];

    private final BitSet sessions = new BitSet(SESSIONS);

    /** The locks that another process made, by the descriptors that it passed, which are owned by this from now on. */
    public static ClaimLocks joined(int[] descriptors) throws IOException {
        ClaimLocks locks = new ClaimLocks();
        locks.open(descriptors);
        return locks;
    }

    /** Sets what to do when another process shares these; it is done at once if one does. */
    public synchronized void whenShared(Runnable action) {
        onShared = action;
        if (isShared()) {
            action.run();
        }
    }

    public boolean isShared() {
        return files.length > 0;
    }

    /** Shows this process's claims from now on. */
    public synchronized void share() throws IOException {
        if (!isShared()) {
            open(create());
            onShared.run();
        }
    }

    private void open(int[] descriptors) throws IOException {
        for (process = 0; process < PROCESSES; process++) {
            if (Descriptor.lockRange(descriptors[0], OWN_PROCESSES | process, 1) == 0) {
                files = descriptors.clone();
                return;
            }
        }
        closeAll(descriptors);
        throw new IOException("the kernel does not lock files in memory, or there are too many processes");
    }

    private static int[] create() throws IOException {
        int[] made = new int[FILES];
        for (int i = 0; i < FILES; i++) {
            made[i] = UnnamedMemory.create("fdt-claims");
            requireAll(made, i);
        }
        return made;
    }

    /** New descriptors of the same files: locks of one do not conflict with each other. The caller closes them. */
    public int[] forAnother() throws IOException {
        int[] known = files;
        int[] opened = new int[known.length];
        for (int i = 0; i < opened.length; i++) {
            RawPath again = RawPath.ofText("/proc/self/fd/" + known[i]);
            opened[i] = Paths.openat(Paths.AT_FDCWD, again, Paths.O_RDWR, 0);
            requireAll(opened, i);
        }
        return opened;
    }

    private static void requireAll(int[] descriptors, int last) throws IOException {
        int failed = -descriptors[last];
        if (failed > 0) {
            for (int i = 0; i < last; i++) {
                Libc.close(descriptors[i]);
            }
            throw new IOException("cannot open a file in memory: " + Libc.strerror(failed));
        }
    }

    private static void closeAll(int[] descriptors) {
        for (int each : descriptors) {
            Libc.close(each);
        }
    }

    /**
     * Returns the number of a session that begins; {@link #NONE} if there are too many.
     *
     * @param called what {@link #nameOf} returns, up to a length
     */
    public int begin(String called) {
        // A number is not used again soon: another process may still be looking at its last session.
        for (int tried = 0; tried < SESSIONS; tried++) {
            lastSession = (lastSession + 1) % SESSIONS;
            if (!sessions.get(lastSession)) {
                sessions.set(lastSession);
                ranks[lastSession] = NONE;
                int session = process * SESSIONS + lastSession;
                name(session, called);
                return session;
            }
        }
        return NONE;
    }

    private void name(int session, String called) {
        byte[] bytes = Arrays.copyOf(called.getBytes(StandardCharsets.UTF_8), NAME_BYTES);
        name.clear().put(bytes);
        Libc.lseek(files[0], (long) session * NAME_BYTES, SEEK_SET);
        Libc.write(files[0], Libc.addressOf(name), NAME_BYTES);
    }

    /** What a session of any process is called; empty if that is not known. */
    public String nameOf(int session) {
        byte[] bytes = new byte[NAME_BYTES];
        name.clear().put(bytes).clear();
        Libc.lseek(files[0], (long) session * NAME_BYTES, SEEK_SET);
        Libc.read(files[0], Libc.addressOf(name), NAME_BYTES);
        name.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8).replace("\0", "");
    }

    /** Whatever it had taken must have been released. */
    public void end(int session) {
        Descriptor.unlockRange(files[0], ranks(session), 1L << RANK_BITS);
        sessions.clear(session % SESSIONS);
    }

    private static long ranks(int session) {
        return RANKS | (long) session << RANK_BITS;
    }

    private int file(long hash) {
        return files[(int) hash & (FILES - 1)];
    }

    private static long paths(long hash) {
        return ((hash >>> FILE_BITS) & ((1L << HASH_BITS) - 1)) << SESSION_BITS;
    }

    /** Shows that a session is about to write the file with this hash. Look at {@link #other} afterwards. */
    public void take(int session, long hash) {
        var unused = Descriptor.lockRange(file(hash), paths(hash) | session, 1);
    }

    public void release(int session, long hash) {
        Descriptor.unlockRange(file(hash), paths(hash) | session, 1);
    }

    /** A session of another process that has taken the file; {@link #NONE} if there is none. */
    public int other(long hash) {
        return sessionAt(file(hash), paths(hash));
    }

    private static int sessionAt(int file, long from) {
        long locked = Descriptor.lockedFrom(file, from, 1L << SESSION_BITS);
        return locked < 0 ? NONE : (int) (Math.max(locked, from) - from);
    }

    /**
     * Shows that a session waits for one of another process.
     *
     * @param rank decides which of the two ends if they wait for each other; the first one that a session shows counts
     */
    public void want(int session, int other, long rank) {
        if (ranks[session % SESSIONS] < 0) {
            ranks[session % SESSIONS] = Math.min(rank, (1L << RANK_BITS) - 1);
            var unused = Descriptor.lockRange(files[0], ranks(session) | ranks[session % SESSIONS], 1);
        }
        var unused = Descriptor.lockRange(files[0], wishes(other) | session, 1);
    }

    public void unwant(int session, int other) {
        Descriptor.unlockRange(files[0], wishes(other) | session, 1);
    }

    private static long wishes(int other) {
        return WISHES | ((long) other << SESSION_BITS);
    }

    /** A session of another process that waits for one of this process; {@link #NONE} if there is none. */
    public int wantedBy(int session) {
        return sessionAt(files[0], wishes(session));
    }

    public boolean isWantedBy(int session, int other) {
        return Descriptor.lockedFrom(files[0], wishes(session) | other, 1) >= 0;
    }

    /** Whether a session of another process has the higher rank than a waiting one of this process. */
    public boolean outranks(int other, int session) {
        long theirs = Descriptor.lockedFrom(files[0], ranks(other), 1L << RANK_BITS) - ranks(other);
        long ours = ranks[session % SESSIONS];
        return theirs > ours || (theirs == ours && other < session);
    }
}
