package io.fdt.core.budget;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.UnnamedMemory;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What the processes of one server hold together. A server whose keys name accounts of the host has a process for each
 * account, and its limits are for all of them: each process writes what its clients hold into a row of its own, in
 * memory that all of them map, and reads the rows of the others. There is no lock, because the user of an account can
 * stop its process at any time; a process writes what it takes before it looks whether that fits. Thread-safe.
 */
public final class ServerTotals {
    private static final VarHandle WORDS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    /** One of the server's first process, and one of each other one. */
    private static final int ROWS = 128;

    private static final int SESSIONS = Resource.values().length;
    private static final int KEYS_AT_WORK = SESSIONS + 1;
    private static final int COLUMNS = KEYS_AT_WORK + 1;

    private static final int ROWS_IN_USE = 0;
    private static final int RATE = 1;
    private static final int FIRST_COLUMN = 8;
    private static final int LENGTH_BYTES = (FIRST_COLUMN + COLUMNS * ROWS) * Long.BYTES;

    private final Words words;
    /** Negative if no other process can have the memory. */
    private final int descriptor;

    private final int row;
    /** For the first process. Guarded by this. */
    private final BitSet taken = new BitSet(ROWS);

    interface Words {
        long get(int index);

        boolean compareAndSet(int index, long expected, long value);

        void set(int index, long value);
    }

    private record OfOneProcess(AtomicLongArray words) implements Words {
        @Override
        public long get(int index) {
            return words.get(index);
        }

        @Override
        public boolean compareAndSet(int index, long expected, long value) {
            return words.compareAndSet(index, expected, value);
        }

        @Override
        public void set(int index, long value) {
            words.set(index, value);
        }
    }

    private record OfSeveralProcesses(ByteBuffer memory) implements Words {
        @Override
        public long get(int index) {
            return (long) WORDS.getVolatile(memory, index * Long.BYTES);
        }

        @Override
        public boolean compareAndSet(int index, long expected, long value) {
            return WORDS.compareAndSet(memory, index * Long.BYTES, expected, value);
        }

        @Override
        public void set(int index, long value) {
            WORDS.setVolatile(memory, index * Long.BYTES, value);
        }
    }

    /** A number that several processes change. */
    public static final class Word {
        private final Words words;
        private final int index;

        private Word(Words words, int index) {
            this.words = words;
            this.index = index;
        }

        /** One that only this process has. */
        public static Word ofThisProcess() {
            return new Word(new OfOneProcess(new AtomicLongArray(1)), 0);
        }

        public long get() {
            return words.get(index);
        }

        public boolean compareAndSet(long expected, long value) {
            return words.compareAndSet(index, expected, value);
        }

        private void set(long value) {
            words.set(index, value);
        }
    }

    /** For a server that is one process. */
    public ServerTotals() {
        this(new OfOneProcess(new AtomicLongArray(LENGTH_BYTES / Long.BYTES)), -1, 0);
    }

    ServerTotals(Words words, int descriptor, int row) {
        this.words = words;
        this.descriptor = descriptor;
        this.row = row;
        taken.set(0);
    }

    /** For the first process of a server that may have others. */
    public static ServerTotals forSeveralProcesses() {
        int fd = UnnamedMemory.create("fdt-totals", LENGTH_BYTES);
        long address = fd < 0 ? fd : UnnamedMemory.map(fd, LENGTH_BYTES);
        return address < 0 ? new ServerTotals() : of(address, fd, 0);
    }

    /**
     * For another process.
     *
     * @param fd of the first one's {@link #descriptor}; owned by this from now on
     * @param row that it reserved
     */
    public static ServerTotals joined(int fd, int row) throws IOException {
        long address = UnnamedMemory.map(fd, LENGTH_BYTES);
        if (address < 0 || row <= 0 || row >= ROWS) {
            Libc.close(fd);
            throw new IOException("cannot share what the server's processes hold");
        }
        return of(address, fd, row);
    }

    private static ServerTotals of(long address, int fd, int row) {
        return new ServerTotals(new OfSeveralProcesses(Libc.bufferAt(address, LENGTH_BYTES)), fd, row);
    }

    /** What another process joins with. @throws IOException if the host has no such memory */
    public int descriptor() throws IOException {
        if (descriptor < 0) {
            throw new IOException("the kernel has no memory that processes can share");
        }
        return descriptor;
    }

    /** Reserves the row of another process. @throws IOException if there are too many */
    public synchronized int reserve() throws IOException {
        int free = taken.nextClearBit(0);
        if (free >= ROWS) {
            throw new IOException("the server has " + ROWS + " processes");
        }
        clear(free);
        taken.set(free);
        Word inUse = word(ROWS_IN_USE);
        inUse.set(Math.max(inUse.get(), free + 1));
        return free;
    }

    /** The process with this row has ended, and holds nothing any more. */
    public synchronized void release(int ended) {
        clear(ended);
        taken.clear(ended);
    }

    private void clear(int of) {
        for (int column = 0; column < COLUMNS; column++) {
            cell(column, of).set(0);
        }
    }

    /** Whether other processes of the server have clients too. */
    public boolean isShared() {
        return row > 0 || word(ROWS_IN_USE).get() > 1;
    }

    /** Of the two buckets of the server's rate. */
    public Word rate(int bucket) {
        return word(RATE + bucket);
    }

    void hold(Resource resource, long amount) {
        words.set(index(column(resource), row), amount);
    }

    long heldByOthers(Resource resource) {
        return ofOthers(column(resource));
    }

    @SuppressWarnings("EnumOrdinal") // the processes of a server are of one version
    private static int column(Resource resource) {
        return resource.ordinal();
    }

    public void sessions(int open) {
        cell(SESSIONS, row).set(open);
    }

    public int sessionsOfOthers() {
        return (int) ofOthers(SESSIONS);
    }

    /** @param keys that have turns, or wait for them */
    void keysAtWork(int keys) {
        cell(KEYS_AT_WORK, row).set(keys);
    }

    int keysAtWorkOfOthers() {
        return (int) ofOthers(KEYS_AT_WORK);
    }

    private long ofOthers(int column) {
        long sum = 0;
        for (int each = (int) words.get(ROWS_IN_USE) - 1; each >= 0; each--) {
            sum += each == row ? 0 : words.get(index(column, each));
        }
        return sum;
    }

    private Word cell(int column, int of) {
        return word(index(column, of));
    }

    private static int index(int column, int of) {
        return FIRST_COLUMN + column * ROWS + of;
    }

    private Word word(int index) {
        return new Word(words, index);
    }
}
