package io.fdt.core.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A change of the modes that are sent, as chmod and rsync write it: clauses separated by commas, each an octal mode or
 * like {@code u+rwX} or {@code go-w,o=}; after {@code D} a clause is for directories only, after {@code F} for files
 * only. The umask plays no part, so every symbolic clause names who.
 */
public final class ModeChange {
    /** Leaves all modes as they are. */
    public static final ModeChange NONE = new ModeChange("", List.of());

    public static final int MAX_CHARS = 256;

    private static final Pattern CLAUSE = Pattern.compile("([DF]?)(?:([0-7]{3,4})|([ugoa]+)((?:[-+=][rwxXst]*)+))");
    private static final Pattern OPERATION = Pattern.compile("([-+=])([rwxXst]*)");
    private static final int ALL = 07777;
    private static final int EXECUTE = 0111;

    private final String text;
    private final List<Step> steps;

    /**
     * @param kind D, F or nothing for both
     * @param operation one of + - =
     * @param reach the bits that the named have, which {@code =} replaces
     * @param conditional bits of X: for directories and what someone may already execute
     */
    private record Step(String kind, char operation, int reach, int bits, int conditional) {
        private int applied(int mode, boolean directory) {
            if (kind.equals(directory ? "F" : "D")) {
                return mode;
            }
            int given = bits | (directory || (mode & EXECUTE) != 0 ? conditional : 0);
            return switch (operation) {
                case '+' -> mode | given;
                case '-' -> mode & ~given;
                default -> (mode & ~reach) | given;
            };
        }
    }

    private ModeChange(String text, List<Step> steps) {
        this.text = text;
        this.steps = List.copyOf(steps);
    }

    /** Returns the change that a text describes; null if it describes none. */
    public static @Nullable ModeChange parse(String text) {
        List<Step> steps = new ArrayList<>();
        if (text.length() > MAX_CHARS) {
            return null;
        }
        for (String clause : text.split(",", -1)) {
            Matcher parts = CLAUSE.matcher(clause);
            if (!parts.matches()) {
                return null;
            }
            String octal = parts.group(2);
            if (octal != null) {
                steps.add(new Step(parts.group(1), '=', ALL, Integer.parseInt(octal, 8), 0));
                continue;
            }
            String who = parts.group(3).replace("a", "ugo");
            Matcher operations = OPERATION.matcher(parts.group(4));
            while (operations.find()) {
                String letters = operations.group(2);
                steps.add(new Step(
                        parts.group(1),
                        operations.group(1).charAt(0),
                        bits(who, "rwxst"),
                        bits(who, letters),
                        letters.indexOf('X') >= 0 ? bits(who, "x") : 0));
            }
        }
        return new ModeChange(text, steps);
    }

    /** Bits 9 to 11 are the sticky bit, here one of o, setgid of g and setuid of u. */
    private static int bits(String who, String letters) {
        int bits = 0;
        for (int i = 0; i < who.length(); i++) {
            int place = "ogu".indexOf(who.charAt(i));
            for (int j = 0; j < letters.length(); j++) {
                int right = "xwr".indexOf(letters.charAt(j));
                if (right >= 0) {
                    bits |= 1 << (3 * place + right);
                } else if (letters.charAt(j) == (place == 0 ? 't' : 's')) {
                    bits |= 1 << (9 + place);
                }
            }
        }
        return bits;
    }

    /** Returns the mode after the change. */
    public int applied(int mode, boolean directory) {
        int changed = mode;
        for (Step step : steps) {
            changed = step.applied(changed, directory);
        }
        return changed;
    }

    /** Returns the text that was parsed. */
    public String text() {
        return text;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ModeChange change && change.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
