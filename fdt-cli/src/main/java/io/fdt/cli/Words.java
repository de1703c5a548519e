package io.fdt.cli;

import java.util.List;
import java.util.Locale;

/** Values that are words out of a fixed list. */
final class Words {
    private Words() {}

    static boolean bool(String text) throws BadValueException {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "yes", "on", "1" -> true;
            case "false", "no", "off", "0" -> false;
            default -> throw new BadValueException("neither on nor off; write true or false");
        };
    }

    static ValueParser<String> among(List<String> words) {
        return text -> {
            if (!words.contains(text)) {
                throw notAmong(text, words);
            }
            return text;
        };
    }

    static BadValueException notAmong(String text, List<String> words) {
        return new BadValueException("not one of " + String.join(", ", words) + Nearest.hint(text, words));
    }

    /** A whole number between the two, both included. */
    static ValueParser<Integer> number(int min, int max) {
        return text -> {
            int number = digits(text);
            if (number < min || number > max) {
                throw new BadValueException("not a number from " + min + " to " + max);
            }
            return number;
        };
    }

    /** A whole number of at least 1, or {@code none} for no limit. */
    static long countLimit(String text) throws BadValueException {
        if (text.equals("none")) {
            return Long.MAX_VALUE;
        }
        int number = digits(text);
        if (number < 1) {
            throw new BadValueException("not a number from 1 to 999999999, nor none");
        }
        return number;
    }

    /** The number that at most nine digits make; -1 for any other text. */
    static int digits(String text) {
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
}
