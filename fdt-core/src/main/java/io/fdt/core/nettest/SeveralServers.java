package io.fdt.core.nettest;

import java.util.List;

/** The client's sides of one test of several servers, with a session each, and their common result. Thread-safe. */
public interface SeveralServers {
    /** The side for one of the servers. Its plan contains the transport of its lanes. */
    SuiteClient ofServer(int server, NettestPlan own);

    NettestResult sum(List<NettestResult> results, boolean whole);
}
