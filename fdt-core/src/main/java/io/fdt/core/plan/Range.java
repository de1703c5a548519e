package io.fdt.core.plan;

/** Bytes from {@code offset} on, {@code lengthBytes} of them. */
public record Range(long offset, long lengthBytes) {
    public long end() {
        return offset + lengthBytes;
    }
}
