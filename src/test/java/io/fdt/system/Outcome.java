package io.fdt.system;

import io.fdt.core.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What an ended process left: its exit code and its lines.
 *
 * @param seconds of its life, the start of the JVM included
 */
record Outcome(int exitCode, List<String> out, List<String> err, double seconds, String transcript) {

    Outcome expectExit(int expected) {
        if (exitCode != expected) {
            throw new AssertionError("exit code " + exitCode + " instead of " + expected + "\n" + transcript);
        }
        return this;
    }

    /** Every line of stdout as a JSON object. */
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

    /** The summary, which must be there exactly once and last, and must carry the exit code. */
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

    /** A whole number of the summary. */
    long number(String field) {
        if (summary().get(field) instanceof Long number) {
            return number;
        }
        throw new AssertionError("the summary has no whole number " + field + "\n" + transcript);
    }

    /** A number of the summary that may have a fraction. */
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
