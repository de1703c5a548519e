package io.fdt.system;

import io.fdt.core.Json;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Writes maps, lists, strings, numbers, booleans and null as JSON: the inverse of {@link Json}. */
final class JsonText {
    private JsonText() {}

    static String of(Object value) {
        StringBuilder text = new StringBuilder();
        write(value, text);
        return text.toString();
    }

    private static void write(Object value, StringBuilder text) {
        if (value instanceof Map<?, ?> map) {
            char before = '{';
            for (Map.Entry<?, ?> member : map.entrySet()) {
                text.append(before);
                quote((String) member.getKey(), text);
                text.append(':');
                write(member.getValue(), text);
                before = ',';
            }
            text.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> list) {
            text.append('[');
            for (Iterator<?> items = list.iterator(); items.hasNext(); ) {
                write(items.next(), text);
                text.append(items.hasNext() ? "," : "");
            }
            text.append(']');
        } else if (value instanceof String string) {
            quote(string, text);
        } else {
            text.append(value == Json.NULL ? "null" : value);
        }
    }

    private static void quote(String string, StringBuilder text) {
        text.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
