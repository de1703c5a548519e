package io.fdt.core.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fdt.core.basic.Word;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Fields as members of a JSON object that people also read: paths are text and choices are words. Bytes of paths that
 * are not UTF-8 are lone surrogates.
 */
final class JsonForm<M> extends Form<M> {
    private final @Nullable JsonGenerator json;
    private final Map<String, @Nullable Object> members;

    private JsonForm(@Nullable JsonGenerator json, @Nullable M message, Map<String, @Nullable Object> members) {
        super(null, message, members, null, Failure.HERE);
        this.json = json;
        this.members = members;
    }

    static <M> void write(JsonGenerator json, M message, Shape<M> shape) throws IOException {
        shape.of(new JsonForm<>(json, message, Map.of()));
    }

    /** @param members numbers as {@code Long}, and text */
    static <M> M read(Map<String, @Nullable Object> members, Shape<M> shape) throws IOException {
        return shape.of(new JsonForm<>(null, null, members));
    }

    @Override
    <P> Form<P> of(@Nullable P part) {
        return new JsonForm<>(json, part, members);
    }

    @Override
    boolean isShown() {
        return true;
    }

    @Override
    <T> void put(String name, T value, Writer<T> writer) throws IOException {
        JsonGenerator out = Objects.requireNonNull(json);
        if (value instanceof Long number) {
            out.writeNumberField(name, number);
        } else if (value instanceof RawPath path) {
            out.writeStringField(name, path.text());
        } else if (value instanceof Enum<?> choice) {
            out.writeStringField(name, Word.of(choice));
        } else {
            throw new IllegalStateException(name + " has no form in JSON");
        }
    }

    @Override
    RawPath readPath(@Nullable Object value, String name) throws IOException {
        // A character takes at least one byte.
        if (value instanceof String text && text.indexOf('\0') < 0 && text.length() <= Bounds.MAX_PATH_BYTES) {
            RawPath path = RawPath.ofText(text);
            if (path.lengthBytes() <= Bounds.MAX_PATH_BYTES) {
                return path;
            }
        }
        throw Fields.misfit(name);
    }

    @Override
    <E extends Enum<E>> E readChoice(@Nullable Object value, E[] choices, String name) throws IOException {
        for (E each : choices) {
            if (Word.of(each).equals(value)) {
                return each;
            }
        }
        throw Fields.misfit(name);
    }
}
