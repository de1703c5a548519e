package io.fdt.cli.console;

import io.fdt.core.basic.Word;

/**
 * The events in the log. Their words in JSON lines are public and so are their meanings: words may be added, but none
 * changes. docs/logging.md lists them.
 */
public enum LogEvent {
    SERVER_START(LogLevel.INFO),
    SERVER_STOP(LogLevel.INFO),
    SESSION_START(LogLevel.INFO),
    SESSION_END(LogLevel.INFO),
    RESUME(LogLevel.INFO),
    RETRY(LogLevel.WARN),
    PEER_REFUSED(LogLevel.WARN),
    LANE_JOINED(LogLevel.DEBUG),
    LANE_LOST(LogLevel.WARN),
    LANE_REOPENED(LogLevel.INFO),
    LANE_REPLACED(LogLevel.INFO),
    LANES_CHANGED(LogLevel.INFO),
    KEY_CREATED(LogLevel.INFO),
    KEY_REVOKED(LogLevel.INFO),
    ISSUER_ADDED(LogLevel.INFO),
    ISSUER_CHANGED(LogLevel.INFO),
    ISSUER_WITHDRAWN(LogLevel.INFO),
    FILE(LogLevel.DEBUG),
    FILE_FAILED(LogLevel.WARN),
    /** Requested with SIGUSR1, so it is logged at every level. */
    STATUS(LogLevel.ERROR),
    SESSION_STATUS(LogLevel.ERROR),
    MESSAGE(LogLevel.INFO),
    WARNING(LogLevel.WARN),
    ERROR(LogLevel.ERROR);

    private final LogLevel level;

    LogEvent(LogLevel level) {
        this.level = level;
    }

    public LogLevel level() {
        return level;
    }

    public String word() {
        return Word.of(this);
    }

    /**
     * Returns the level to show. The answer to a signal is shown as INFO, because a request for the status is not an
     * error.
     */
    public LogLevel shownLevel() {
        return this == STATUS || this == SESSION_STATUS ? LogLevel.INFO : level;
    }
}
