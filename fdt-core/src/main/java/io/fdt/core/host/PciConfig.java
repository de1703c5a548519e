package io.fdt.core.host;

/**
 * Reads the configuration space of a PCI device, as in the kernel's file {@code config}, one character for each byte,
 * to find the size of its memory read requests (MaxReadReq). Only root can read more than the first 64 bytes, which do
 * not include it.
 */
public final class PciConfig {
    private static final int STATUS_AT = 0x06;
    private static final int STATUS_HAS_LIST = 0x10;
    private static final int LIST_AT = 0x34;
    private static final int LIST_FROM = 0x40;
    private static final int MAX_IN_LIST = 48;
    private static final int PCI_EXPRESS = 0x10;

    /** The offset of the control word in the PCI Express capability. */
    private static final int CONTROL_FROM = 8;

    private static final int READ_REQUEST_SHIFT = 12;
    private static final int READ_REQUEST_MASK = 7 << READ_REQUEST_SHIFT;
    private static final int MIN_BYTES = 128;

    private PciConfig() {}

    /** Returns the offset of the two-byte PCI Express control word; -1 if the device has none or it is not shown. */
    public static int controlAt(String config) {
        if (word(config, STATUS_AT) < 0 || (word(config, STATUS_AT) & STATUS_HAS_LIST) == 0) {
            return -1;
        }
        int at = word(config, LIST_AT) & 0xfc;
        // A device that has been removed reads as all ones, and a list may contain a cycle.
        for (int count = 0; count < MAX_IN_LIST && at >= LIST_FROM && word(config, at) >= 0; count++) {
            int entry = word(config, at);
            if ((entry & 0xff) == PCI_EXPRESS) {
                return word(config, at + CONTROL_FROM) < 0 ? -1 : at + CONTROL_FROM;
            }
            at = (entry >> 8) & 0xfc;
        }
        return -1;
    }

    /** Returns 128 to 4096; 0 if unknown. */
    public static int readRequestBytes(String config) {
        int at = controlAt(config);
        int code = at < 0 ? 7 : (word(config, at) & READ_REQUEST_MASK) >> READ_REQUEST_SHIFT;
        return code > 5 ? 0 : MIN_BYTES << code;
    }

    /**
     * Returns the control word with another MaxReadReq, a power of two from 128 to 4096; the other bits are unchanged.
     */
    public static int withReadRequest(int control, int bytes) {
        int code = Integer.numberOfTrailingZeros(bytes) - 7;
        if (code < 0 || code > 5 || bytes != MIN_BYTES << code) {
            throw new IllegalArgumentException("no MaxReadReq of " + bytes + " bytes");
        }
        return (control & ~READ_REQUEST_MASK) | (code << READ_REQUEST_SHIFT);
    }

    /** Returns the little-endian two-byte word at this offset; -1 if it is not shown. */
    public static int word(String config, int at) {
        return at + 1 < config.length() ? (config.charAt(at) & 0xff) | ((config.charAt(at + 1) & 0xff) << 8) : -1;
    }
}
