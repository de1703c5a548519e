package io.fdt.core.objects;

/** Room for this many objects with values of up to this length. */
public record ObjectRoom(int valueBytes, int objects) {
    public ObjectRoom {
        if (valueBytes < 0 || valueBytes > ObjectLog.MAX_VALUE_BYTES || objects < 1 || objects > ObjectSlab.MAX_SLOTS) {
            throw new IllegalArgumentException("no room for " + objects + " objects of " + valueBytes + " bytes");
        }
    }
}
