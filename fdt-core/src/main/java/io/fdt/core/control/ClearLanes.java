package io.fdt.core.control;

/** Which sessions of a server may have unencrypted lanes, if their clients request it. */
public enum ClearLanes {
    /** None. */
    REFUSE,
    /** Network tests, whose lanes carry no user data. */
    TESTS,
    /** All. */
    ALLOW
}
