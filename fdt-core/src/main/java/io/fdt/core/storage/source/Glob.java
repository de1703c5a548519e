package io.fdt.core.storage.source;

import io.fdt.core.plan.RawPath;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A pattern over bytes, with rsync's syntax: {@code *} and {@code ?} do not match a slash, {@code **} does, a class
 * {@code [a-z]} or {@code [!a-z]} never matches a slash, and a backslash escapes the next byte (in a pattern without
 * wildcards it is literal). Matching takes time proportional to pattern times path, and memory of eight times the
 * pattern, even for a malicious pattern. For one thread at a time.
 */
final class Glob {
    private static final int ANY = 256;
    private static final int STAR = 257;
    private static final int DOUBLE_STAR = 258;
    private static final int FIRST_CLASS = 259;

    enum Start {
        ROOT,
        EVERY_COMPONENT,
        LAST_COMPONENT
    }

    private final Start start;
    private final byte[] pattern;
    /**
     * Bytes, wildcards, and the positions of classes in the pattern. Classes are read there, because a table for each
     * would need far more memory.
     */
    private final int[] tokens;

    private boolean[] active;
    private boolean[] following;

    Glob(byte[] pattern, Start start) {
        this.start = start;
        this.pattern = pattern;
        this.tokens = hasWildcard(pattern) ? parse(pattern) : literal(pattern);
        this.active = new boolean[tokens.length + 1];
        this.following = new boolean[tokens.length + 1];
    }

    static boolean hasWildcard(byte[] pattern) {
        for (byte value : pattern) {
            if (value == '*' || value == '?' || value == '[') {
                return true;
            }
        }
        return false;
    }

    private static int[] literal(byte[] pattern) {
        int[] literal = new int[pattern.length];
        for (int i = 0; i < pattern.length; i++) {
            literal[i] = pattern[i] & 0xFF;
        }
        return literal;
    }

    private static int[] parse(byte[] pattern) {
        int[] parsed = new int[pattern.length];
        int count = 0;
        int i = 0;
        while (i < pattern.length) {
            int value = pattern[i] & 0xFF;
            int next = i + 1;
            if (value == '*') {
                while (next < pattern.length && pattern[next] == '*') {
                    next++;
                }
                parsed[count++] = next - i > 1 ? DOUBLE_STAR : STAR;
            } else if (value == '?') {
                parsed[count++] = ANY;
            } else if (value == '[' && classEnd(pattern, i) > 0) {
                next = classEnd(pattern, i) + 1;
                parsed[count++] = FIRST_CLASS + i;
            } else if (value == '\\' && next < pattern.length) {
                parsed[count++] = pattern[next++] & 0xFF;
            } else {
                parsed[count++] = value;
            }
            i = next;
        }
        return Arrays.copyOf(parsed, count);
    }

    /** Returns the index of the bracket that closes the class, or -1: then the opening one is an ordinary byte. */
    private static int classEnd(byte[] pattern, int open) {
        int i = open + 1;
        if (i < pattern.length && (pattern[i] == '!' || pattern[i] == '^')) {
            i++;
        }
        int first = i;
        while (i < pattern.length) {
            if (pattern[i] == ']' && i > first) {
                return i;
            }
            if (pattern[i] == '\\') {
                i++;
            } else if (pattern[i] == '[' && i + 1 < pattern.length && pattern[i + 1] == ':') {
                int named = namedEnd(pattern, i);
                i = named > 0 ? named : i;
            }
            i++;
        }
        return -1;
    }

    /** Returns the index of the bracket that ends {@code [:name:]}, or -1. */
    private static int namedEnd(byte[] pattern, int open) {
        for (int i = open + 2; i + 1 < pattern.length && Character.isLetter(pattern[i]); i++) {
            if (pattern[i + 1] == ':') {
                return i + 2 < pattern.length && pattern[i + 2] == ']' ? i + 2 : -1;
            }
        }
        return -1;
    }

    /** Whether the class that begins at the bracket contains the byte. */
    private boolean classHas(int open, int value) {
        int to = classEnd(pattern, open);
        boolean negated = pattern[open + 1] == '!' || pattern[open + 1] == '^';
        int i = open + (negated ? 2 : 1);
        boolean found = false;
        while (i < to && !found) {
            int end = pattern[i] == '[' && i + 1 < to && pattern[i + 1] == ':' ? namedEnd(pattern, i) : -1;
            if (end > 0) {
                found = isNamed(new String(pattern, i + 2, end - i - 3, StandardCharsets.US_ASCII), value);
                i = end + 1;
                continue;
            }
            i = pattern[i] == '\\' && i + 1 < to ? i + 1 : i;
            int low = pattern[i] & 0xFF;
            int high = low;
            if (i + 2 < to && pattern[i + 1] == '-') {
                i += pattern[i + 2] == '\\' && i + 3 < to ? 3 : 2;
                high = pattern[i] & 0xFF;
            }
            found = low <= value && value <= high;
            i++;
        }
        return found != negated && value != '/';
    }

    private static boolean isNamed(String name, int value) {
        return value < 128
                && switch (name) {
                    case "alpha" -> Character.isLetter(value);
                    case "digit" -> Character.isDigit(value);
                    case "alnum" -> Character.isLetterOrDigit(value);
                    case "upper" -> Character.isUpperCase(value);
                    case "lower" -> Character.isLowerCase(value);
                    case "space" -> value == ' ' || (value >= '\t' && value <= '\r');
                    case "blank" -> value == ' ' || value == '\t';
                    case "cntrl" -> value < ' ' || value == 127;
                    case "graph" -> value > ' ' && value < 127;
                    case "print" -> value >= ' ' && value < 127;
                    case "punct" -> value > ' ' && value < 127 && !Character.isLetterOrDigit(value);
                    case "xdigit" -> Character.digit(value, 16) >= 0;
                    default -> false;
                };
    }

    boolean matches(RawPath path) {
        int length = path.lengthBytes();
        int lastComponent = length;
        while (lastComponent > 0 && path.byteAt(lastComponent - 1) != '/') {
            lastComponent--;
        }
        int from = start == Start.LAST_COMPONENT ? lastComponent : 0;
        Arrays.fill(active, false);
        enter(active, 0);
        if (start == Start.EVERY_COMPONENT && beginsWithAnyDirectories()) {
            enter(active, 2);
        }
        for (int i = from; i < length; i++) {
            int value = path.byteAt(i) & 0xFF;
            Arrays.fill(following, false);
            for (int state = 0; state < tokens.length; state++) {
                if (active[state]) {
                    step(state, value);
                }
            }
            if (start == Start.EVERY_COMPONENT && value == '/') {
                enter(following, 0);
            }
            boolean[] spent = active;
            active = following;
            following = spent;
        }
        return active[tokens.length];
    }

    /** Whether it begins with two stars and a slash, which also match nothing before the first component. */
    private boolean beginsWithAnyDirectories() {
        return tokens.length > 1 && tokens[0] == DOUBLE_STAR && tokens[1] == '/';
    }

    private void step(int state, int value) {
        int token = tokens[state];
        if (token < ANY) {
            if (token == value) {
                enter(following, state + 1);
            }
        } else if (token == DOUBLE_STAR || (token == STAR && value != '/')) {
            enter(following, state);
        } else if (token == ANY ? value != '/' : token >= FIRST_CLASS && classHas(token - FIRST_CLASS, value)) {
            enter(following, state + 1);
        }
    }

    /** Activates a state. A star may match nothing, so its state also activates the next one. */
    private void enter(boolean[] states, int first) {
        int state = first;
        while (!states[state]) {
            states[state] = true;
            if (state == tokens.length || (tokens[state] != STAR && tokens[state] != DOUBLE_STAR)) {
                return;
            }
            state++;
        }
    }
}
