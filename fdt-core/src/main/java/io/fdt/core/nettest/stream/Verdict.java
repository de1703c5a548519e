package io.fdt.core.nettest.stream;

import java.util.List;

/**
 * What held a test back.
 *
 * @param limit one word of the list in {@link Diagnosis}
 * @param sentence for people
 * @param evidence the figures that it rests on, each with its name
 */
public record Verdict(String limit, String sentence, List<String> evidence) {
    public Verdict {
        evidence = List.copyOf(evidence);
    }
}
