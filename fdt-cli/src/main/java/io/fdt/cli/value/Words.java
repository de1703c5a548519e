package io.fdt.cli.value;

import io.fdt.core.plan.RawPath;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Parses words from a fixed list, numbers and other short values. */
public final class Words {
    private Words() {}

    public static boolean bool(String text) throws BadValueException {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "yes", "on", "1" -> true;
            case "false", "no", "off", "0" -> false;
            default -> throw new BadValueException("not a switch value; write true or false");
        };
    }

    public static ValueParser<String> among(List<String> words) {
        return text -> {
            if (!words.contains(text)) {
                throw notAmong(text, words);
            }
            return text;
        };
    }

    public static BadValueException notAmong(String text, List<String> words) {
        return new BadValueException("not one of " + String.join(", ", words) + Nearest.hint(text, words));
    }

    /** Returns a parser for whole numbers in this range, inclusive. */
    public static ValueParser<Integer> number(int min, int max) {
        return text -> {
            int number = digits(text);
            if (number < min || number > max) {
                throw new BadValueException("not a number from " + min + " to " + max);
            }
            return number;
        };
    }

    /** Parses octal permission bits. */
    public static int permissions(String text) throws BadValueException {
        if (!text.matches("0?[0-7]{1,3}")) {
            throw new BadValueException("not octal permissions from 000 to 777; write for example 022");
        }
        return Integer.parseInt(text, 8);
    }

    /** Parses a whole number of at least 1, or {@code none} for no limit. */
    public static long countLimit(String text) throws BadValueException {
        if (text.equals("none")) {
            return Long.MAX_VALUE;
        }
        int number = digits(text);
        if (number < 1) {
            throw new BadValueException("not a number from 1 to 999999999, nor none");
        }
        return number;
    }

    /** Returns the number in a text of one to nine digits; -1 for any other text. */
    public static int digits(String text) {
        if (text.isEmpty() || text.length() > 9) {
            return -1;
        }
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return -1;
            }
        }
        return Integer.parseInt(text);
    }

    public static Path file(String text) throws BadValueException {
        try {
            return Path.of(name(text));
        } catch (InvalidPathException e) {
            throw new BadValueException("Java cannot open it in this locale");
        }
    }

    /** A file on this host, in any locale. */
    public static RawPath rawFile(String text) throws BadValueException {
        return RawPath.ofText(name(text));
    }

    /** The name of a file, or {@code -}. */
    public static String name(String text) throws BadValueException {
        if (text.isEmpty()) {
            throw new BadValueException("the name is empty; give a FILE");
        }
        return text;
    }

    /** The parts between separators: one more than there are separators. */
    public static List<byte[]> split(byte[] bytes, int separator) {
        List<byte[]> parts = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= bytes.length; i++) {
            if (i == bytes.length || bytes[i] == separator) {
                parts.add(Arrays.copyOfRange(bytes, start, i));
                start = i + 1;
            }
        }
        return parts;
    }
}
