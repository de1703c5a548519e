package io.fdt.cli.report;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.JsonReader;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the result of a network test: the last object of type {@code result} in a file of JSON objects, one per line or
 * in any other layout. The file is untrusted, so its texts are shortened, and numbers that no test measures are
 * unknown.
 */
final class ResultFile {
    /** Longer texts are truncated, because they appear in captions and legends. */
    private static final int MAX_SHOWN = 400;

    private static final double MAX_NUMBER = 1e18;
    private static final double MIN_NUMBER = 1e-12;
    private static final int VERSION = 1;

    private ResultFile() {}

    /** Reads the result from a file; throws SOURCE if the file cannot be read or contains no result. */
    static JsonObject read(Path file) {
        String shown = shown(file);
        try {
            if (Files.isDirectory(file)) {
                throw Cause.SOURCE
                        .advise("name a file that fdt nettest --json wrote")
                        .failure(shown + " is a directory");
            }
            try (InputStream in = Files.newInputStream(file)) {
                return read(JsonReader.of(in), shown);
            }
        } catch (NoSuchFileException e) {
            throw Cause.MISSING.failure("there is no file " + shown, e);
        } catch (IOException e) {
            throw TransferException.causeOfReading(e)
                    .failure("cannot read " + shown + ": " + TransferException.reason(e), e);
        }
    }

    /** Reads the result from a text, which has the given name in messages. */
    static JsonObject parse(String json, String shown) {
        try {
            return read(JsonReader.of(json), shown);
        } catch (IOException e) {
            throw Cause.SOURCE.failure("cannot read " + shown + ": " + TransferException.reason(e), e);
        }
    }

    private static JsonObject read(JsonReader opened, String shown) throws IOException {
        JsonObject last = null;
        try (JsonReader reader = opened) {
            for (JsonObject object = reader.next(); object != null; object = reader.next()) {
                if (object.text("type").equals("result")) {
                    last = plausible(object);
                }
            }
        } catch (JsonReader.Malformed e) {
            throw Cause.SOURCE.failure(shown + ": " + e.getMessage(), e);
        }
        if (last == null) {
            throw Cause.SOURCE
                    .advise("fdt nettest --json prints one as its last line")
                    .failure(shown + " contains no result");
        }
        if (last.amount("version") > VERSION) {
            throw Cause.SOURCE.failure(shown + " contains a result of version " + last.text("version")
                    + "; this release reads version " + VERSION);
        }
        return last;
    }

    private static JsonObject plausible(JsonObject object) {
        JsonObject plausible = new JsonObject();
        object.values().forEach((name, value) -> plausible.with(name, plausible(value)));
        return plausible;
    }

    private static @Nullable Object plausible(@Nullable Object value) {
        if (value instanceof JsonObject object) {
            return plausible(object);
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> all = new ArrayList<>();
            list.forEach(each -> all.add(plausible(each)));
            return all;
        }
        if (value instanceof Number number) {
            return plausible(number.doubleValue());
        }
        return value instanceof String text ? shortened(text) : value;
    }

    private static String shortened(String text) {
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
    }

    /** No network test measures a larger value; a smaller one is zero. */
    private static @Nullable Double plausible(double value) {
        if (!(Math.abs(value) <= MAX_NUMBER)) {
            return null;
        }
        return Math.abs(value) < MIN_NUMBER ? 0.0 : value;
    }

    static String shown(Path file) {
        return "'" + RawPath.ofText(file.toString()).display() + "'";
    }
}
