package io.fdt.core.wire;

import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.RawPath;

/** Limits on what a peer may send. Every number that arrives is checked against them before it is used. */
public final class Bounds {
    public static final int MAX_MESSAGE_BYTES = 1 << 20;
    public static final int MAX_PAGE_ENTRIES = 1024;
    /** The kernel's limit, PATH_MAX, which includes the NUL. */
    public static final int MAX_PATH_BYTES = RawPath.MAX_BYTES;

    /** How many pages of checked entries a server may send before its client confirms them. */
    public static final int MAX_VERIFY_PAGES = 8;

    /** How many names a client may send before its server answers. */
    public static final int MAX_VERIFY_NAMES = 4 * MAX_PAGE_ENTRIES;

    public static final int MAX_VERIFY_THREADS = 256;

    /** Operations on files that a session may have running. */
    public static final int MAX_OPERATIONS = 8;

    /** The data in one message of a read. */
    public static final int MAX_READ_BYTES = 2 * TreeDigest.LEAF_BYTES;

    /** Roots whose free space a listing reports. */
    public static final int MAX_SPACES = 1024;

    /** Files in one message of a copy between two servers. */
    public static final int MAX_TOLD_FILES = 256;

    /** How many messages with files, or parts of a receipt, a server may send before its client confirms them. */
    public static final int MAX_TOLD_PAGES = 8;

    /** A receipt that a server keeps for a client: as much temporary disk space as all its clients may use. */
    public static final long MAX_RECEIPT_BYTES = 4L << 30;

    /** The part of a receipt in one message. */
    public static final int MAX_RECEIPT_PART_BYTES = 256 * 1024;

    /** Copies in one message of a list of those that outlive their clients. */
    public static final int MAX_PAGE_JOBS = 32;

    /** A path for display: each of its bytes may be escaped. */
    public static final int MAX_SHOWN_PATH_CHARS = 4 * MAX_PATH_BYTES;

    /** A DNS name, or an address with its zone. */
    public static final int MAX_HOST_CHARS = 255;
    /** More than any device supports inline. */
    public static final int MAX_INLINE_BYTES = 4096;

    public static final int MAX_CORES = 8192;

    /**
     * Cores of a host whose figures are sent once a second; for a larger host, only the first cores and NICs are sent.
     */
    public static final int MAX_VIEW_CORES = 1024;

    public static final int MAX_VIEW_NICS = 64;
    public static final int MAX_NAME_CHARS = 128;

    public static final int MAX_LEAVES = 64;
    public static final int MAX_CHUNK_BYTES = MAX_LEAVES * TreeDigest.LEAF_BYTES;
    public static final int MAX_LANES = LaneRange.MAX;
    public static final int MAX_TEXT_CHARS = 4096;

    public static final int MAX_LIST = 65_536;
    public static final int MAX_ATTRIBUTES = 128;
    public static final int MAX_ATTRIBUTE_BYTES = 65_536;

    private Bounds() {}
}
