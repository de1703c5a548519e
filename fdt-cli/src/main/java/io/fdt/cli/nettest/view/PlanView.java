package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import java.io.IOException;

/** How the plan of one suite is shown. */
public interface PlanView {
    /** The line that says for people what begins. */
    String startLine(String transport, String peer);

    /** What the suite has to say in the JSON line of the start. */
    void writeStart(JsonLine line) throws IOException;

    /** The suite's own options in the JSON of the result. */
    void writeOptions(JsonLine line) throws IOException;
}
