package io.fdt.core.objects;

import io.fdt.core.failure.Cause;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Objects by key, outside the heap: memory for a number of objects of each size is reserved at the start, and no
 * operation allocates. With a log, a write is appended to it before it can be read, and is durable when {@link #await}
 * has returned; a reader may see a write that is not durable yet.
 *
 * <p>Thread-safe. Keys are distributed over 64 shards by their hash, each with a lock that is held while one value is
 * copied: with random keys, two of N threads seldom meet, and no thread passes an operation to another. The hash has a
 * random seed, so a client cannot choose the places of keys.
 */
public final class ObjectStore implements AutoCloseable {
    /** No object has this key. */
    public static final long ABSENT = -1;

    /** The ticket of a write that need not be waited for. */
    private static final long DONE = 0;

    private static final int SHARDS = 64;

    private final long seed = new SecureRandom().nextLong();
    private final int keyBytes;
    private final ObjectSlab[] slabs;
    private final ObjectIndex[] shards = new ObjectIndex[SHARDS];
    private final @Nullable ObjectLog log;

    /**
     * Reserves the memory; nothing is reserved later.
     *
     * @param rooms by size, smallest first
     * @param keyBytes the longest key
     * @param log whose content {@link #recover} reads; null for a store in memory only; it is closed with the store
     */
    public ObjectStore(List<ObjectRoom> rooms, int keyBytes, @Nullable ObjectLog log) {
        if (keyBytes < 1 || keyBytes > ObjectKey.MAX_BYTES || rooms.isEmpty() || rooms.size() > ObjectIndex.MAX_SLABS) {
            throw new IllegalArgumentException(rooms.size() + " sizes with keys of " + keyBytes + " bytes");
        }
        this.keyBytes = keyBytes;
        this.log = log;
        this.slabs = new ObjectSlab[rooms.size()];
        try {
            for (int i = 0; i < slabs.length; i++) {
                slabs[i] = new ObjectSlab(rooms.get(i), keyBytes);
                if (i > 0 && slabs[i - 1].valueBytes() >= slabs[i].valueBytes()) {
                    throw new IllegalArgumentException("sizes are to rise");
                }
            }
            for (int i = 0; i < SHARDS; i++) {
                shards[i] = new ObjectIndex(expectedPerShard(rooms));
            }
        } catch (OutOfMemoryError e) {
            throw Cause.HOST_LIMIT
                    .advise("use fewer objects, or raise -XX:MaxDirectMemorySize on the server")
                    .failure(
                            "Java has no " + memoryBytes(rooms, keyBytes) + " bytes outside the heap for the objects",
                            e);
        }
    }

    /** The memory of a store without a log. */
    public static long memoryBytes(List<ObjectRoom> rooms, int keyBytes) {
        long bytes = SHARDS * ObjectIndex.memoryBytes(expectedPerShard(rooms));
        for (ObjectRoom room : rooms) {
            bytes += ObjectSlab.memoryBytes(room, keyBytes);
        }
        return bytes;
    }

    private static int expectedPerShard(List<ObjectRoom> rooms) {
        long objects = rooms.stream().mapToLong(ObjectRoom::objects).sum();
        long share = (objects + SHARDS - 1) / SHARDS;
        if (share > ObjectIndex.MAX_EXPECTED) {
            throw Cause.LIMIT.advise("use fewer objects").failure(objects + " objects are more than a store can name");
        }
        return (int) share;
    }

    /** Selects objects of a log. */
    public interface Wanted {
        /** Must not change the buffers. */
        boolean test(ByteBuffer key, ByteBuffer value, long version);
    }

    /** Reads the content of the log; call it first. An object that is not selected remains only in the log. */
    public void recover(Wanted wanted) {
        if (log != null) {
            log.replay((key, value, version) -> {
                if (key.remaining() <= keyBytes && wanted.test(key, value, version)) {
                    put(key, value, version, null);
                }
            });
        }
    }

    /**
     * Copies the value to the buffer's position, and advances that; returns the value's version, or {@link #ABSENT}.
     */
    public long read(ByteBuffer key, ByteBuffer into) {
        long hashed = ObjectKey.hash(seed, key);
        ObjectIndex shard = shards[(int) hashed & (SHARDS - 1)];
        synchronized (shard) {
            long entry = shard.entry(find(shard, hashed, key));
            if (entry == ObjectIndex.NONE) {
                return ABSENT;
            }
            ObjectSlab slab = slabs[ObjectIndex.slab(entry)];
            slab.copyValue(ObjectIndex.slot(entry), into);
            return slab.version(ObjectIndex.slot(entry));
        }
    }

    /** The memory of all objects, in parts, for remote readers, which may see incomplete concurrent writes. */
    public List<ByteBuffer> memory() {
        return Stream.of(slabs).flatMap(slab -> Stream.of(slab.segments())).toList();
    }

    /** The place of the object's value; null if there is no such object. */
    public @Nullable ObjectPlace place(ByteBuffer key) {
        long hashed = ObjectKey.hash(seed, key);
        ObjectIndex shard = shards[(int) hashed & (SHARDS - 1)];
        synchronized (shard) {
            long entry = shard.entry(find(shard, hashed, key));
            if (entry == ObjectIndex.NONE) {
                return null;
            }
            int of = ObjectIndex.slab(entry);
            int slot = ObjectIndex.slot(entry);
            int part = slabs[of].segmentIndex(slot);
            for (int before = 0; before < of; before++) {
                part += slabs[before].segments().length;
            }
            return new ObjectPlace(part, slabs[of].valueAt(slot), slabs[of].version(slot));
        }
    }

    /**
     * Writes the object, in place of an earlier one with its key, if there is room, and returns the ticket for {@link
     * #await}.
     */
    public long write(ByteBuffer key, ByteBuffer value, long version) {
        return put(key, value, version, log);
    }

    /** Waits until this write and all earlier ones are durable; returns at once without a log. */
    public void await(long ticket) {
        if (log != null && ticket != DONE) {
            log.await(ticket);
        }
    }

    private long put(ByteBuffer key, ByteBuffer value, long version, @Nullable ObjectLog appendTo) {
        if (key.remaining() < 1 || key.remaining() > keyBytes || version < 0) {
            throw new IllegalArgumentException("a key of " + key.remaining() + " bytes, version " + version);
        }
        int to = slabFor(value.remaining());
        long hashed = ObjectKey.hash(seed, key);
        ObjectIndex shard = shards[(int) hashed & (SHARDS - 1)];
        synchronized (shard) {
            int position = find(shard, hashed, key);
            long old = shard.entry(position);
            boolean inPlace = old != ObjectIndex.NONE && ObjectIndex.slab(old) == to;
            int slot = inPlace ? ObjectIndex.slot(old) : slabs[to].take();
            if (slot == ObjectSlab.NONE || (old == ObjectIndex.NONE && shard.isFull())) {
                giveBack(to, slot);
                throw Cause.LIMIT
                        .advise("use fewer objects")
                        .failure("the store has no room for one more object of " + value.remaining() + " bytes");
            }
            long ticket = DONE;
            try {
                ticket = appendTo == null ? DONE : appendTo.append(key, value, version);
            } catch (RuntimeException unlogged) {
                giveBack(to, inPlace ? ObjectSlab.NONE : slot);
                throw unlogged;
            }
            slabs[to].put(slot, key, value, version);
            if (!inPlace) {
                shard.put(position, hashed, to, slot);
                if (old != ObjectIndex.NONE) {
                    giveBack(ObjectIndex.slab(old), ObjectIndex.slot(old));
                }
            }
            return ticket;
        }
    }

    private void giveBack(int slab, int slot) {
        if (slot != ObjectSlab.NONE) {
            slabs[slab].giveBack(slot);
        }
    }

    /** The slab with the shortest values that this one fits into. */
    private int slabFor(int valueBytes) {
        for (int i = 0; i < slabs.length; i++) {
            if (slabs[i].valueBytes() >= valueBytes) {
                return i;
            }
        }
        throw Cause.MALFORMED.failure(
                "a value of " + valueBytes + " bytes; the store takes up to " + slabs[slabs.length - 1].valueBytes());
    }

    /** The position of the key's entry, or of the empty entry for it. */
    private int find(ObjectIndex shard, long hashed, ByteBuffer key) {
        int position = shard.first(hashed);
        while (true) {
            long entry = shard.entry(position);
            if (entry == ObjectIndex.NONE
                    || (ObjectIndex.mayBe(entry, hashed)
                            && slabs[ObjectIndex.slab(entry)].hasKey(ObjectIndex.slot(entry), key))) {
                return position;
            }
            position = shard.next(position);
        }
    }

    /**
     * Closes the log. The memory is freed when nothing refers to it any more, so a late lane never accesses freed
     * memory.
     */
    @Override
    public void close() {
        if (log != null) {
            log.close();
        }
    }
}
