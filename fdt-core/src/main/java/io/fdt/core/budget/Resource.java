package io.fdt.core.budget;

/** What a peer can make this process hold, in the unit that it costs here. */
public enum Resource {
    /** Bytes of decoded objects, not of their encoding. */
    HEAP("Java heap (java -Xmx)"),
    /** Bytes of direct buffers and mapped memory. */
    DIRECT_MEMORY("memory for lanes (--max-memory)"),
    /** The part of it that network tests hold. */
    TEST_MEMORY("memory for network tests (--nettest-memory)"),
    DESCRIPTORS("file descriptors (ulimit -n)", 8),
    /** Descriptors of files that are being written, which wait until they are complete and flushed. */
    FILES("file descriptors for new files (ulimit -n)", 16),
    /** That hash, walk and look at files. */
    THREADS("threads", 12),
    /** Control links and lanes. */
    CONNECTIONS("connections (--max-connections)"),
    /** Bytes of temporary files. */
    DISK("temporary disk space"),
    /** Bytes of lines that wait for the transfer log. */
    LOG("room for log lines that wait to be written"),
    SERIES("time series of the monitor");

    private final String shown;
    private final long floor;

    Resource(String shown) {
        this(shown, 0);
    }

    /** @param floor every session may hold this much, as long as there is any */
    Resource(String shown, long floor) {
        this.shown = shown;
        this.floor = floor;
    }

    /** For messages, with the setting that changes its total. */
    String shown() {
        return shown;
    }

    long floor() {
        return floor;
    }
}
