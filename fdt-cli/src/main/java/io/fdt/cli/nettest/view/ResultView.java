package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import java.io.IOException;
import java.util.List;

/** How the result of one suite is shown. */
public interface ResultView {
    /** The suite's own fields of the JSON line of type {@code result}. */
    void writeJson(JsonLine line) throws IOException;

    /** The suite's own fields of the JSON line of type {@code summary}. */
    void writeSummary(JsonLine line) throws IOException;

    /** The tables for people, before what is said of every test. */
    List<String> tables();

    /** What comes after that. */
    List<String> conclusion();

    /** The table for programs. Columns are public: they may become more, and keep their meaning. */
    List<String> csv();
}
