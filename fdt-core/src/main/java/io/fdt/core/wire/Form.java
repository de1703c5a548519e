package io.fdt.core.wire;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a message, described once for both directions. If there is a message, its fields are written, by name
 * or as a positional array; otherwise they are read and bounded, and anything invalid is an IOException. A {@link
 * Shape} calls for the fields in their order and constructs the message from them, also while writing.
 */
class Form<M> {
    static final Writer<RawPath> PATH = (cbor, path) -> cbor.bytes(path.toBytes());
    private static final int MAX_FIELDS = 64;
    private static final int MAX_EXIT_CODE = 255;

    private final @Nullable CborWriter cbor;
    private final @Nullable M message;
    private final Map<String, @Nullable Object> map;
    /** The elements of an array that are still to be read; null if fields have names. */
    private final @Nullable Iterator<?> elements;
    /** The place of failures on the host of the other end; {@link Failure#HERE} if there is none. */
    private final String peer;

    /** The fields of a type of message. */
    interface Shape<M> {
        M of(Form<M> form) throws IOException;
    }

    interface Writer<T> {
        void write(CborWriter cbor, T value) throws IOException;
    }

    interface Reader<T> {
        T read(@Nullable Object value) throws IOException;
    }

    Form(
            @Nullable CborWriter cbor,
            @Nullable M message,
            Map<String, @Nullable Object> map,
            @Nullable Iterator<?> elements,
            String peer) {
        this.cbor = cbor;
        this.message = message;
        this.map = map;
        this.elements = elements;
        this.peer = peer;
    }

    static <M> void write(CborWriter cbor, M message, Shape<M> shape, String receiver) throws IOException {
        shape.of(new Form<>(cbor, message, Map.of(), null, receiver));
    }

    static <M> M read(Map<String, @Nullable Object> map, Shape<M> shape, String sender) throws IOException {
        return shape.of(new Form<>(null, null, map, null, sender));
    }

    /**
     * The form of a part of this message, in the same array or among the same names.
     *
     * @param part null while it is read
     */
    <P> Form<P> of(@Nullable P part) {
        return new Form<>(cbor, part, map, elements, peer);
    }

    /** Whether the form is for people: it leaves out what only the other end needs. */
    boolean isShown() {
        return false;
    }

    /** Fields that several types of messages share, as a part of this one. */
    <P> P part(Function<M, P> of, Shape<P> shape) throws IOException {
        return shape.of(this.<P>of(message == null ? null : of.apply(message)));
    }

    /**
     * A part that may be null. Among names, none of its fields is written then, and {@code first} is one that the part
     * always has; in an array it is an array or null.
     */
    <P> @Nullable P optionalPart(String first, Function<M, @Nullable P> of, Shape<P> shape) throws IOException {
        if (elements != null) {
            return optionalArray(first, of, shape);
        }
        P part = message == null ? null : of.apply(message);
        return part == null && map.get(first) == null ? null : shape.of(this.<P>of(part));
    }

    <T> T field(String name, Function<M, T> of, Writer<T> writer, Reader<T> reader) throws IOException {
        if (message == null) {
            return reader.read(value(name));
        }
        T value = of.apply(message);
        put(name, value, writer);
        return value;
    }

    private @Nullable Object value(String name) {
        if (elements == null) {
            return map.get(name);
        }
        return elements.hasNext() ? elements.next() : null;
    }

    <T> void put(String name, T value, Writer<T> writer) throws IOException {
        CborWriter out = Objects.requireNonNull(cbor);
        if (elements == null) {
            out.name(name);
        }
        writer.write(out, value);
    }

    /** A field that may be null: then it is not written, or as null in an array. */
    <T> @Nullable T optional(String name, Function<M, @Nullable T> of, Writer<T> writer, Reader<T> reader)
            throws IOException {
        if (message == null) {
            Object value = value(name);
            return value == null ? null : reader.read(value);
        }
        T value = of.apply(message);
        if (value != null) {
            put(name, value, writer);
        } else if (elements != null) {
            Objects.requireNonNull(cbor).none();
        }
        return value;
    }

    /** Like {@link #optional(String, Function, Writer, Reader)}; a value that is not written is this one. */
    <T> T optional(String name, T absent, Function<M, @Nullable T> of, Writer<T> writer, Reader<T> reader)
            throws IOException {
        T value = optional(name, of, writer, reader);
        return value == null ? absent : value;
    }

    /** A number, not negative, that is not written if it is this one. */
    long numberUnless(long absent, String name, long max, ToLongFunction<M> of) throws IOException {
        return optional(
                name,
                absent,
                each -> of.applyAsLong(each) == absent ? null : of.applyAsLong(each),
                CborWriter::number,
                value -> Fields.number(value, 0, max, name));
    }

    long number(String name, long min, long max, ToLongFunction<M> of) throws IOException {
        return field(name, of::applyAsLong, CborWriter::number, value -> Fields.number(value, min, max, name));
    }

    int integer(String name, int min, int max, ToIntFunction<M> of) throws IOException {
        return (int) number(name, min, max, of::applyAsInt);
    }

    int count(String name, ToIntFunction<M> of) throws IOException {
        return integer(name, 0, Integer.MAX_VALUE, of);
    }

    long size(String name, ToLongFunction<M> of) throws IOException {
        return number(name, 0, Long.MAX_VALUE, of);
    }

    boolean flag(String name, Function<M, Boolean> of) throws IOException {
        return field(name, of, CborWriter::flag, value -> Fields.flag(value, name));
    }

    /** A flag that is not written if it is false. */
    boolean optionalFlag(String name, Predicate<M> of) throws IOException {
        return optional(
                name,
                false,
                each -> of.test(each) ? Boolean.TRUE : null,
                CborWriter::flag,
                value -> Fields.flag(value, name));
    }

    /** Text for display, truncated if it is too long. */
    String text(String name, Function<M, String> of) throws IOException {
        return text(name, Bounds.MAX_TEXT_CHARS, of);
    }

    String text(String name, int maxChars, Function<M, String> of) throws IOException {
        return field(
                name,
                of,
                (out, text) -> out.text(clipped(text, maxChars)),
                value -> Fields.text(value, maxChars, name));
    }

    @Nullable String optionalText(String name, Function<M, @Nullable String> of) throws IOException {
        return optionalText(name, Bounds.MAX_TEXT_CHARS, of);
    }

    @Nullable String optionalText(String name, int maxChars, Function<M, @Nullable String> of) throws IOException {
        return optional(
                name,
                of,
                (out, text) -> out.text(clipped(text, maxChars)),
                value -> Fields.text(value, maxChars, name));
    }

    static String clipped(String text, int maxChars) {
        return text.length() <= maxChars ? text : text.substring(0, maxChars);
    }

    /** A name that programs interpret: never truncated. */
    String name(String name, int maxChars, Function<M, String> of) throws IOException {
        return field(name, of, CborWriter::text, value -> Fields.text(value, maxChars, name));
    }

    byte[] bytes(String name, int maxLength, Function<M, byte[]> of) throws IOException {
        return field(name, of, CborWriter::bytes, value -> Fields.bytes(value, maxLength, name));
    }

    byte[] exactBytes(String name, int length, Function<M, byte[]> of) throws IOException {
        byte[] bytes = bytes(name, length, of);
        refuseIf(bytes.length != length, name);
        return bytes;
    }

    /** Rejects a message that was read; a message that is written comes from this side and is valid. */
    void refuseIf(boolean wrong, String name) throws IOException {
        if (message == null && wrong) {
            throw Fields.misfit(name);
        }
    }

    RawPath path(String name, Function<M, RawPath> of) throws IOException {
        return field(name, of, PATH, value -> readPath(value, name));
    }

    @Nullable RawPath optionalPath(String name, Function<M, @Nullable RawPath> of) throws IOException {
        return optional(name, of, PATH, value -> readPath(value, name));
    }

    RawPath readPath(@Nullable Object value, String name) throws IOException {
        return Fields.path(value, name);
    }

    /** A path of a request, which is refused where it is made if the path is too long. */
    RawPath requestedPath(String name, Function<M, RawPath> of) throws IOException {
        return field(name, of, PATH, requestedPath(name));
    }

    List<RawPath> requestedPaths(String name, Function<M, List<RawPath>> of) throws IOException {
        return values(name, Bounds.MAX_MESSAGE_BYTES, of, PATH, requestedPath(name));
    }

    static Reader<RawPath> requestedPath(String name) {
        return value -> Fields.path(value, Bounds.MAX_MESSAGE_BYTES, name);
    }

    List<RawPath> paths(String name, int max, Function<M, List<RawPath>> of) throws IOException {
        return values(name, max, of, PATH, each -> Fields.path(each, name));
    }

    @SuppressWarnings("EnumOrdinal") // ControlCodecTest fixes the order of every enum on the wire
    <E extends Enum<E>> E choice(String name, E[] choices, Function<M, E> of) throws IOException {
        return field(name, of, (out, value) -> out.number(value.ordinal()), value -> readChoice(value, choices, name));
    }

    <E extends Enum<E>> E readChoice(@Nullable Object value, E[] choices, String name) throws IOException {
        return choices[(int) Fields.number(value, 0, choices.length - 1, name)];
    }

    int[] ints(String name, Function<M, int[]> of) throws IOException {
        return field(name, of, (out, ints) -> out.numbers(ints), value -> readInts(name, value));
    }

    private static int[] readInts(String name, @Nullable Object value) throws IOException {
        List<?> raw = Fields.list(value, Bounds.MAX_LIST, name);
        int[] ints = new int[raw.size()];
        for (int i = 0; i < ints.length; i++) {
            ints[i] = Fields.count(raw.get(i), name);
        }
        return ints;
    }

    <T> List<T> values(String name, int max, Function<M, List<T>> of, Writer<T> writer, Reader<T> reader)
            throws IOException {
        return field(name, of, all(writer), all(name, max, reader));
    }

    static <T> Writer<List<T>> all(Writer<T> writer) {
        return (out, values) -> {
            out.startArray();
            for (T each : values) {
                writer.write(out, each);
            }
            out.end();
        };
    }

    static <T> Reader<List<T>> all(String name, int max, Reader<T> reader) {
        return value -> {
            List<?> raw = Fields.list(value, max, name);
            List<T> values = new ArrayList<>(raw.size());
            for (Object each : raw) {
                values.add(reader.read(each));
            }
            return values;
        };
    }

    /** A list of values that are positional arrays themselves. */
    <T> List<T> list(String name, int max, Function<M, List<T>> of, Shape<T> shape) throws IOException {
        return values(name, max, of, array(shape, peer), array(name, shape, peer));
    }

    <T> @Nullable T optionalArray(String name, Function<M, @Nullable T> of, Shape<T> shape) throws IOException {
        return optional(name, of, array(shape, peer), array(name, shape, peer));
    }

    static <T> Writer<T> array(Shape<T> shape, String receiver) {
        return (out, value) -> {
            out.startArray();
            shape.of(new Form<>(out, value, Map.of(), Collections.emptyIterator(), receiver));
            out.end();
        };
    }

    static <T> Reader<T> array(String name, Shape<T> shape, String sender) {
        return value -> shape.of(new Form<>(
                null, null, Map.of(), Fields.list(value, MAX_FIELDS, name).iterator(), sender));
    }

    // ---- Failures.

    Failure failure(String name, Function<M, Failure> of) throws IOException {
        return field(name, of, failureWriter(), failureReader(name));
    }

    @Nullable Failure optionalFailure(String name, Function<M, @Nullable Failure> of) throws IOException {
        return optional(name, of, failureWriter(), failureReader(name));
    }

    Writer<Failure> failureWriter() {
        return array(Form::failure, peer);
    }

    Reader<Failure> failureReader(String name) {
        return array(name, Form::failure, peer);
    }

    /**
     * An unknown word has the meaning of its exit code. An empty place is the sender's host, and none that of the
     * receiver.
     */
    private static Failure failure(Form<Failure> f) throws IOException {
        String word = f.name(
                "cause", Bounds.MAX_NAME_CHARS, failure -> failure.cause().word());
        int exitCode = f.integer("exit code", 1, MAX_EXIT_CODE, Failure::exitCode);
        String detail = f.text("detail", Failure.MAX_DETAIL_CHARS, Failure::detail);
        String place = f.optionalText(
                "place", Failure.MAX_PLACE_CHARS, failure -> f.isOfPeer(failure.place()) ? null : failure.place());
        String path = f.optionalText("path", Failure.MAX_PATH_CHARS, Failure::path);
        String errno = f.optionalText("errno", Failure.MAX_ERRNO_CHARS, Failure::errno);
        String remedy = f.optionalText("remedy", Failure.MAX_REMEDY_CHARS, Failure::ownRemedy);
        Cause cause = Cause.of(word, exitCode);
        return place == null
                ? new Failure(cause, Failure.HERE, path, detail, errno, remedy)
                : new Failure(cause, place, path, detail, errno, remedy).from(f.peer);
    }

    private boolean isOfPeer(String place) {
        return !place.equals(Failure.HERE) && place.equals(peer);
    }
}
