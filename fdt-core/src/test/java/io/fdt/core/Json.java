package io.fdt.core;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A strict reader of one JSON value. It accepts exactly what RFC 8259 accepts, so it also checks that fdt's output is
 * JSON. Objects become maps in their order, whole numbers {@code Long}, other numbers {@code Double}; null becomes
 * {@link #NULL}.
 */
public final class Json {
    /** JSON's null. */
    public static final Object NULL = new Object() {
        @Override
        public String toString() {
            return "null";
        }
    };

    private final String text;
    private int position;

    private Json(String text) {
        this.text = text;
    }

    /** Returns the object that the text contains; rejects anything else. */
    @SuppressWarnings("unchecked")
    public static Map<String, Object> object(String text) {
        Object value = value(text);
        if (!(value instanceof Map)) {
            throw new IllegalArgumentException("not a JSON object: " + text);
        }
        return (Map<String, Object>) value;
    }

    public static Object value(String text) {
        Json json = new Json(text);
        json.skipBlanks();
        Object value = json.readValue();
        json.skipBlanks();
        if (json.position != text.length()) {
            throw json.wrong("nothing more");
        }
        return value;
    }

    private Object readValue() {
        if (position == text.length()) {
            throw wrong("a value");
        }
        return switch (text.charAt(position)) {
            case '{' -> readObject();
            case '[' -> readArray();
            case '"' -> readString();
            case 't' -> readWord("true", true);
            case 'f' -> readWord("false", false);
            case 'n' -> readWord("null", NULL);
            default -> readNumber();
        };
    }

    private Map<String, Object> readObject() {
        Map<String, Object> members = new LinkedHashMap<>();
        expect('{');
        skipBlanks();
        if (skipped('}')) {
            return members;
        }
        do {
            skipBlanks();
            String name = readString();
            skipBlanks();
            expect(':');
            skipBlanks();
            if (members.put(name, readValue()) != null) {
                throw wrong("each name once, not again '" + name + "'");
            }
            skipBlanks();
        } while (skipped(','));
        expect('}');
        return members;
    }

    private List<Object> readArray() {
        List<Object> items = new ArrayList<>();
        expect('[');
        skipBlanks();
        if (skipped(']')) {
            return items;
        }
        do {
            skipBlanks();
            items.add(readValue());
            skipBlanks();
        } while (skipped(','));
        expect(']');
        return items;
    }

    private String readString() {
        expect('"');
        StringBuilder string = new StringBuilder();
        while (true) {
            char c = next();
            if (c == '"') {
                return string.toString();
            }
            if (c < ' ') {
                throw wrong("no bare control character in a string");
            }
            string.append(c == '\\' ? readEscape() : c);
        }
    }

    private char readEscape() {
        char c = next();
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                if (position + 4 > text.length()) {
                    throw wrong("four hexadecimal digits");
                }
                int code = Integer.parseInt(text.substring(position, position + 4), 16);
                position += 4;
                yield (char) code;
            }
            default -> throw wrong("an escape");
        };
    }

    private Object readWord(String word, Object value) {
        if (!text.startsWith(word, position)) {
            throw wrong(word);
        }
        position += word.length();
        return value;
    }

    private Object readNumber() {
        int start = position;
        while (position < text.length() && "+-.eE0123456789".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
        String number = text.substring(start, position);
        if (!number.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
            throw wrong("a number");
        }
        return number.matches("-?[0-9]+") ? (Object) Long.valueOf(number) : (Object) Double.valueOf(number);
    }

    private void skipBlanks() {
        while (position < text.length() && " \t\r\n".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
    }

    private boolean skipped(char c) {
        if (position < text.length() && text.charAt(position) == c) {
            position++;
            return true;
        }
        return false;
    }

    private void expect(char c) {
        if (!skipped(c)) {
            throw wrong("'" + c + "'");
        }
    }

    private char next() {
        if (position == text.length()) {
            throw wrong("more text");
        }
        return text.charAt(position++);
    }

    private IllegalArgumentException wrong(String wanted) {
        return new IllegalArgumentException("JSON wants " + wanted + " at " + position + " of: " + text);
    }
}
