package io.fdt.core.budget;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The budgets of all keys of a process. A key holds no more of a resource than is then free for the other keys, and a
 * session no more than is then free for the other sessions of its key: so there is always room for a key and a session
 * that hold nothing yet. The totals are what the clients of all processes of a server may hold together; the rest of
 * the process's resources is never given to them. Thread-safe: this object's monitor guards all budgets.
 */
public final class Budgets {
    private static final Budgets OF_PROCESS = new Budgets(
            Map.of(Resource.HEAP, heapBytes(), Resource.DISK, diskBytes()), () -> false, new ServerTotals(), null);

    private final EnumMap<Resource, Pool> pools = new EnumMap<>(Resource.class);
    final Map<String, Key> keys = new HashMap<>();
    private final BooleanSupplier severalKeys;
    private final ServerTotals all;
    private final @Nullable Turns turns;

    /** What the sessions of one key hold together. */
    static final class Key {
        private final String id;
        private final Amounts held = new Amounts();
        private int open;

        private Key(String id) {
            this.id = id;
        }

        String id() {
            return id;
        }
    }

    /** One resource: its total, and what is held of it in total. */
    final class Pool {
        final long limit;
        private final Resource resource;
        private long own;

        Pool(Resource resource, long limit) {
            this.resource = resource;
            this.limit = limit;
        }

        /** By the clients of all processes of the server. */
        long held() {
            return own + all.heldByOthers(resource);
        }

        long heldBy(Key key) {
            return key.held.get(resource);
        }

        void add(Key key, long amount) {
            own += amount;
            all.hold(resource, own);
            key.held.add(resource, amount);
        }
    }

    /**
     * @param totals for all clients together; a resource without one is not limited
     * @param severalKeys whether a share must be left to other keys
     */
    public Budgets(Map<Resource, Long> totals, BooleanSupplier severalKeys) {
        this(totals, severalKeys, new ServerTotals());
    }

    /** @param all what all processes of the server hold */
    public Budgets(Map<Resource, Long> totals, BooleanSupplier severalKeys, ServerTotals all) {
        this(totals, severalKeys, all, new Turns(Runtime.getRuntime().availableProcessors(), System::nanoTime, all));
    }

    /** @param turns null if everybody works at once */
    Budgets(Map<Resource, Long> totals, BooleanSupplier severalKeys, ServerTotals all, @Nullable Turns turns) {
        this.turns = turns;
        this.all = all;
        this.severalKeys = severalKeys;
        for (Resource resource : Resource.values()) {
            pools.put(resource, new Pool(resource, totals.getOrDefault(resource, Long.MAX_VALUE / 4)));
        }
    }

    /** The half of the heap that clients may fill; the other half is for the process and for garbage. */
    public static long heapBytes() {
        return Runtime.getRuntime().maxMemory() / 2;
    }

    /** What clients may spill into the temporary directory. */
    public static long diskBytes() {
        return 4L << 30;
    }

    /** Opens a budget for what this process holds on behalf of its own user, for example in a pull. */
    public static Budget ofProcess() {
        return OF_PROCESS.open("");
    }

    /** Opens the budget of one session of a key, or of one that is being opened. */
    public synchronized Budget open(String key) {
        Key of = keys.computeIfAbsent(key, Key::new);
        of.open++;
        return new Budget(this, of);
    }

    /** For each {@link #open}. */
    void closed(Key key) {
        key.open--;
        forgetUnused(key);
    }

    /** Without this, every client of the past would remain. */
    void forgetUnused(Key key) {
        if (key.open == 0 && key.held.areZero()) {
            keys.remove(key.id, key);
        }
    }

    public synchronized long heldBy(String key, Resource resource) {
        Key of = keys.get(key);
        return of == null ? 0 : of.held.get(resource);
    }

    @Nullable Turns turns() {
        return turns;
    }

    Pool pool(Resource resource) {
        Pool pool = pools.get(resource);
        if (pool == null) {
            throw new IllegalStateException("every resource has a pool");
        }
        return pool;
    }

    /** What one more session of the key could hold of this, with everything that its key holds already. */
    long shareOf(Key key, Pool pool) {
        // With all of its share, a key must not hold more than is free then.
        return severalKeys.getAsBoolean() ? (pool.limit - (pool.held() - pool.heldBy(key))) / 2 : pool.limit;
    }
}
