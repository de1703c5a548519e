package io.fdt.core.control;

/** Which sessions of a server may have lanes without TLS, where their clients ask for it. */
public enum ClearLanes {
    /** None. */
    REFUSE,
    /** Network tests, whose lanes carry no user's data. */
    TESTS,
    /** All. */
    ALLOW
}
