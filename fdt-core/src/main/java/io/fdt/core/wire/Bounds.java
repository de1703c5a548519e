package io.fdt.core.wire;

import io.fdt.core.digest.TreeDigest;

/** What a peer may send at most. Every number that arrives is held against these before it is used. */
public final class Bounds {
    public static final int MAX_MESSAGE_BYTES = 1 << 20;
    public static final int MAX_PAGE_ENTRIES = 1024;
    /** Paths as the kernel bounds them: PATH_MAX with its NUL. */
    public static final int MAX_PATH_BYTES = 4095;

    /** Pages of checked entries that a server may be ahead of its client. */
    public static final int MAX_VERIFY_PAGES = 8;

    /** Names that a client may be ahead of its server's answers. */
    public static final int MAX_VERIFY_NAMES = 4 * MAX_PAGE_ENTRIES;

    public static final int MAX_VERIFY_THREADS = 256;

    /** Roots of which a listing tells the room. */
    public static final int MAX_SPACES = 1024;

    /** Files that one message of an errand tells of. */
    public static final int MAX_TOLD_FILES = 256;

    /** Messages with files that an errand's server may be ahead of its client. */
    public static final int MAX_TOLD_PAGES = 8;

    /** A path as people are shown it: each of its bytes may be escaped. */
    public static final int MAX_SHOWN_PATH_CHARS = 4 * MAX_PATH_BYTES;

    /** A name that a name service may know, with some room for an address with its zone. */
    public static final int MAX_HOST_CHARS = 255;

    public static final int MAX_NETTEST_SIZES = 256;
    /** More than any device takes inline. */
    public static final int MAX_INLINE_BYTES = 4096;

    public static final int MAX_NETTEST_BYTES = 64 << 20;
    /** A day. */
    public static final long MAX_NETTEST_MS = 86_400_000;

    public static final int MAX_CORES = 8192;

    /** Of a host that is told about once a second; of a larger one the first cores and NICs are told. */
    public static final int MAX_VIEW_CORES = 1024;

    public static final int MAX_VIEW_NICS = 64;
    public static final int MAX_NAME_CHARS = 128;

    public static final int MAX_LEAVES = 64;
    public static final int MAX_CHUNK_BYTES = MAX_LEAVES * TreeDigest.LEAF_BYTES;
    public static final int MAX_LANES = 1024;
    public static final int MAX_TEXT_CHARS = 4096;
    public static final int MAX_SOURCES = 4096;
    public static final int MAX_RULES = 4096;
    /** Of the globs of all rules together. */
    public static final int MAX_RULES_BYTES = 256 * 1024;

    public static final int MAX_LIST = 65_536;
    /** Names of one selection, over all messages. */
    public static final int MAX_NAMES = 4 << 20;

    public static final long MAX_NAMES_BYTES = 256L << 20;
    public static final int MAX_ATTRIBUTES = 128;
    public static final int MAX_ATTRIBUTE_BYTES = 65_536;

    private Bounds() {}
}
