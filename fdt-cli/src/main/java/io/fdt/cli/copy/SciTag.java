package io.fdt.cli.copy;

import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.Words;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

/** What a copy is for, by the numbers of the registry of scitags.org. */
record SciTag(int experiment, int activity) {
    private static final int MAX_EXPERIMENT = 511;
    private static final int MAX_ACTIVITY = 63;

    /** Accepts numbers, registered or not, and registered names in any case, with any characters between the words. */
    static SciTag parse(String text) throws BadValueException {
        int dot = text.indexOf('.');
        String experiment = text.substring(0, Math.max(0, dot));
        String activity = text.substring(dot + 1);
        if (isOutside(experiment, MAX_EXPERIMENT) || isOutside(activity, MAX_ACTIVITY)) {
            throw new BadValueException("not an experiment, a name or a number from 1 to " + MAX_EXPERIMENT
                    + ", and an activity, a name or a number from 1 to " + MAX_ACTIVITY
                    + "; write for example 2.3 or atlas.data-brokering");
        }
        int number = number("experiment", "", experiment);
        return new SciTag(number, number("activity", number + ".", activity));
    }

    /**
     * Returns a label of IPv6 for a connection, as draft-cc-v6ops-wlcg-flow-label-marking has it: two random bits, the
     * experiment with its last bit first, a random bit, the activity, two random bits. The very first bit is 0, because
     * the kernel keeps labels with a 1 for connections that have none of their own.
     */
    int flowLabel() {
        int random = ThreadLocalRandom.current().nextInt(1 << 4);
        int entropy = ((random & 1) << 18) | (((random >> 1) & 1) << 8) | (random >> 2);
        int reversed = Integer.reverse(experiment) >>> (Integer.SIZE - 9);
        return entropy | (reversed << 9) | (activity << 2);
    }

    private static boolean isOutside(String text, int max) {
        int number = Words.digits(text);
        return text.isEmpty() || number == 0 || number > max;
    }

    /** @param above what precedes the numbers in the registry */
    private static int number(String what, String above, String text) throws BadValueException {
        int number = Words.digits(text);
        if (number > 0) {
            return number;
        }
        Map<String, Integer> registered = registered(above);
        String name =
                text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        Integer found = registered.get(name);
        if (found != null) {
            return found;
        }
        if (registered.isEmpty()) {
            throw new BadValueException("this fdt knows no activities of experiment "
                    + above.substring(0, above.length() - 1) + "; write the number of the activity");
        }
        BadValueException unknown = Words.notAmong(name, new ArrayList<>(registered.keySet()));
        throw new BadValueException("the " + what + " is " + unknown.expected());
    }

    /** The numbers of experiments, or of the activities of one, by their names; {@code scripts/scitags} writes them. */
    private static Map<String, Integer> registered(String above) {
        Map<String, Integer> numbers = new LinkedHashMap<>();
        try (InputStream in = Objects.requireNonNull(SciTag.class.getResourceAsStream("scitags.tsv"))) {
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
                int tab = line.indexOf('\t');
                boolean isBelow = tab >= 0 && line.startsWith(above);
                int number = isBelow ? Words.digits(line.substring(above.length(), tab)) : -1;
                if (number > 0) {
                    numbers.put(line.substring(tab + 1), number);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a resource of fdt", e);
        }
        return numbers;
    }
}
