package io.fdt.cli.report;

import io.fdt.core.basic.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Published figures that are part of the program, always shown with the hardware that they were measured on. A row has
 * the fields of a result's point, and the name of its curve.
 *
 * @param head source, hardware, year, conditions and so on, by name
 */
record FigureSet(String name, Map<String, String> head, List<JsonObject> rows) {
    /** In the order of the list for users. */
    static final List<String> NAMES = List.of(
            "fdt-40ge",
            "linux-receive",
            "linux-send",
            "tls-server",
            "copies-100g",
            "vmi",
            "verbs-rtt",
            "verbs-rtt-histogram",
            "ramcloud-echo",
            "ramcloud-read",
            "ramcloud-write",
            "buffer-pools");

    private static final String CURVE = "curve";

    static List<FigureSet> all() {
        return NAMES.stream().map(FigureSet::load).toList();
    }

    /**
     * A set, or some of its curves if the name continues with them: {@code vmi/ia64/myrinet}; null if there is none.
     */
    static @Nullable FigureSet named(String name) {
        for (String known : NAMES) {
            if (name.equals(known)) {
                return load(known);
            }
            if (name.startsWith(known + "/")) {
                FigureSet part = load(known).below(name.substring(known.length() + 1));
                return part.rows().isEmpty() ? null : part;
            }
        }
        return null;
    }

    String suite() {
        return of("suite");
    }

    String of(String field) {
        return head.getOrDefault(field, "");
    }

    /** The names of its curves, in order. */
    List<String> curves() {
        return rows.stream().map(row -> row.text(CURVE)).distinct().toList();
    }

    private FigureSet below(String prefix) {
        List<JsonObject> some = rows.stream()
                .filter(row -> (row.text(CURVE) + "/").startsWith(prefix + "/"))
                .toList();
        return new FigureSet(name, head, some);
    }

    private static FigureSet load(String name) {
        try (InputStream in = FigureSet.class.getResourceAsStream("figures/" + name + ".csv")) {
            if (in == null) {
                throw new IllegalStateException("this build of fdt lacks the published figures " + name);
            }
            return parse(name, new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Lines of {@code # name: text}, then one of column names, then one line for each point; no quotes, no commas in
     * fields.
     */
    static FigureSet parse(String name, BufferedReader in) throws IOException {
        Map<String, String> head = new LinkedHashMap<>();
        List<JsonObject> rows = new ArrayList<>();
        String[] columns = {};
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("# ")) {
                int colon = line.indexOf(": ");
                head.put(line.substring(2, colon), line.substring(colon + 2));
            } else if (columns.length == 0) {
                columns = line.split(",", -1);
            } else {
                rows.add(row(columns, line.split(",", -1), name));
            }
        }
        return new FigureSet(name, head, rows);
    }

    private static JsonObject row(String[] columns, String[] cells, String name) {
        if (columns.length != cells.length) {
            throw new IllegalStateException("figures " + name + ": a row of " + cells.length + " fields");
        }
        JsonObject values = new JsonObject();
        for (int i = 0; i < cells.length; i++) {
            if (!cells[i].isEmpty()) {
                boolean text = columns[i].equals(CURVE) || columns[i].equals("op");
                values.with(columns[i], text ? cells[i] : (Object) Double.valueOf(cells[i]));
            }
        }
        return values;
    }
}
