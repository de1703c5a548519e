package io.fdt.core.objects;

import java.nio.ByteBuffer;

/**
 * Slots of one size outside the heap, each with room for a whole object. All memory is reserved at the start. Free
 * slots are a stack that is linked through the slots themselves, so taking and returning one allocates nothing.
 *
 * <pre>
 * slot: value length 4 (or, in a free one, the next free slot), key length 4, version 8,
 * key with zeros up to its room, value
 * </pre>
 *
 * Taking and returning is thread-safe; the content of a slot belongs to the holder of its shard's lock.
 */
final class ObjectSlab {
    /** As many as an entry of the index can refer to. */
    static final int MAX_SLOTS = 1 << ObjectIndex.SLOT_BITS;

    static final int NONE = -1;

    private static final int KEY_LENGTH = 4;
    private static final int VERSION = 8;
    private static final int KEY = 16;
    private static final int SEGMENT_BYTES = 256 << 20;

    private final int valueBytes;
    private final int valueIndex;
    private final int slotBytes;
    private final int slotsPerSegment;
    private final int slots;
    private final ByteBuffer[] segments;

    // Guarded by this.
    private int freed = NONE;
    private int neverTaken;

    ObjectSlab(ObjectRoom room, int keyBytes) {
        this.valueBytes = room.valueBytes();
        this.valueIndex = KEY + ObjectKey.roundedUp(keyBytes);
        this.slotBytes = slotBytes(room, keyBytes);
        this.slotsPerSegment = Math.max(1, SEGMENT_BYTES / slotBytes);
        this.slots = room.objects();
        this.segments = new ByteBuffer[(slots + slotsPerSegment - 1) / slotsPerSegment];
        for (int i = 0; i < segments.length; i++) {
            int held = Math.min(slotsPerSegment, slots - i * slotsPerSegment);
            segments[i] = ByteBuffer.allocateDirect(held * slotBytes);
        }
    }

    private static int slotBytes(ObjectRoom room, int keyBytes) {
        return KEY + ObjectKey.roundedUp(keyBytes) + ObjectKey.roundedUp(room.valueBytes());
    }

    static long memoryBytes(ObjectRoom room, int keyBytes) {
        return (long) slotBytes(room, keyBytes) * room.objects();
    }

    int valueBytes() {
        return valueBytes;
    }

    /** Takes a slot; {@link #NONE} if all are taken. */
    synchronized int take() {
        if (freed != NONE) {
            int slot = freed;
            freed = segment(slot).getInt(start(slot));
            return slot;
        }
        return neverTaken < slots ? neverTaken++ : NONE;
    }

    synchronized void giveBack(int slot) {
        segment(slot).putInt(start(slot), freed);
        freed = slot;
    }

    /** Writes an object to the slot, in place of its content. */
    void put(int slot, ByteBuffer key, ByteBuffer value, long version) {
        ByteBuffer segment = segment(slot);
        int at = start(slot);
        segment.putInt(at, value.remaining());
        segment.putInt(at + KEY_LENGTH, key.remaining());
        segment.putLong(at + VERSION, version);
        segment.put(at + KEY, key, key.position(), key.remaining());
        segment.put(at + valueIndex, value, value.position(), value.remaining());
    }

    boolean hasKey(int slot, ByteBuffer key) {
        ByteBuffer segment = segment(slot);
        int at = start(slot);
        return segment.getInt(at + KEY_LENGTH) == key.remaining() && ObjectKey.equal(segment, at + KEY, key);
    }

    long version(int slot) {
        return segment(slot).getLong(start(slot) + VERSION);
    }

    /** Copies the value to the buffer's position, and advances that. */
    void copyValue(int slot, ByteBuffer into) {
        ByteBuffer segment = segment(slot);
        int at = start(slot);
        int length = segment.getInt(at);
        if (length > into.remaining()) {
            throw new IllegalArgumentException(
                    "a value of " + length + " bytes and room for " + into.remaining() + " only");
        }
        into.put(into.position(), segment, at + valueIndex, length);
        into.position(into.position() + length);
    }

    /** The memory of all slots, in parts. */
    ByteBuffer[] segments() {
        return segments;
    }

    int segmentIndex(int slot) {
        return slot / slotsPerSegment;
    }

    /** The offset of the slot's value in its part. */
    int valueAt(int slot) {
        return start(slot) + valueIndex;
    }

    private ByteBuffer segment(int slot) {
        return segments[slot / slotsPerSegment];
    }

    private int start(int slot) {
        return slot % slotsPerSegment * slotBytes;
    }
}
