package io.fdt.system;

import io.fdt.core.Json;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The exit code and output of a command that has ended.
 *
 * @param seconds the run time; that of a process includes the start of its JVM
 */
record Outcome(int exitCode, List<String> out, List<String> err, double seconds, String transcript) {
    /** Of a command that ran in this process. */
    static Outcome of(
            List<String> words, int exitCode, ByteArrayOutputStream out, ByteArrayOutputStream err, double seconds) {
        List<String> outLines = out.toString(StandardCharsets.UTF_8).lines().toList();
        List<String> errLines = err.toString(StandardCharsets.UTF_8).lines().toList();
        StringBuilder transcript =
                new StringBuilder("--- fdt " + String.join(" ", words) + " (exit " + exitCode + ")\n");
        outLines.forEach(line -> transcript.append("out| ").append(line).append('\n'));
        errLines.forEach(line -> transcript.append("err| ").append(line).append('\n'));
        return new Outcome(exitCode, outLines, errLines, seconds, transcript.toString());
    }

    Outcome expectExit(int expected) {
        if (exitCode != expected) {
            throw new AssertionError("exit code " + exitCode + " instead of " + expected + "\n" + transcript);
        }
        return this;
    }

    /** Returns every line of stdout as a JSON object. */
    List<Map<String, Object>> json() {
        List<Map<String, Object>> objects = new ArrayList<>();
        for (String line : out) {
            try {
                objects.add(Json.object(line));
            } catch (IllegalArgumentException e) {
                throw new AssertionError(e.getMessage() + "\n" + transcript, e);
            }
        }
        return objects;
    }

    List<Map<String, Object>> jsonOfType(String type) {
        return json().stream().filter(object -> type.equals(object.get("type"))).toList();
    }

    /** Returns the summary. It must occur exactly once, be the last object, and contain the exit code. */
    Map<String, Object> summary() {
        List<Map<String, Object>> all = json();
        List<Map<String, Object>> summaries = jsonOfType("summary");
        if (summaries.size() != 1 || !all.get(all.size() - 1).equals(summaries.get(0))) {
            throw new AssertionError("not exactly one summary at the end\n" + transcript);
        }
        Map<String, Object> summary = summaries.get(0);
        if (!Long.valueOf(exitCode).equals(summary.get("exit_code"))) {
            throw new AssertionError("the summary tells another exit code\n" + transcript);
        }
        return summary;
    }

    /** Returns an integer of the summary. */
    long number(String field) {
        if (summary().get(field) instanceof Long number) {
            return number;
        }
        throw new AssertionError("the summary has no whole number " + field + "\n" + transcript);
    }

    /** Returns a number of the summary that may have a fraction. */
    double decimal(String field) {
        if (summary().get(field) instanceof Number number) {
            return number.doubleValue();
        }
        throw new AssertionError("the summary has no number " + field + "\n" + transcript);
    }

    String errText() {
        return String.join("\n", err);
    }
}
