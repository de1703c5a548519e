package io.fdt.core.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A named value of a plan: its default, its bounds, which side must know it, and how it is written in a request. A
 * value is declared once, in the table of its plan; options, requests and both sides refer to that.
 */
public final class Value<T> {
    private final String name;
    private final Side side;
    private final @Nullable T defaultValue;
    private final Function<T, Object> writer;
    private final Function<Object, T> reader;
    private final Predicate<T> valid;
    private final Limits limits;

    /** Who must know a value. The client knows all of them. */
    public enum Side {
        /** Only the client: the value is in no request. */
        CLIENT,
        SENDER,
        RECEIVER,
        BOTH
    }

    /** Of a number, or of each in a list. */
    private record Limits(long min, long max) {
        static final Limits NONE = new Limits(Long.MIN_VALUE, Long.MAX_VALUE);

        boolean admit(long number) {
            return number >= min && number <= max;
        }
    }

    private Value(
            String name,
            Side side,
            @Nullable T defaultValue,
            Function<T, Object> writer,
            Function<Object, T> reader,
            Predicate<T> valid,
            Limits limits) {
        this.name = name;
        this.side = side;
        this.defaultValue = defaultValue;
        this.writer = writer;
        this.reader = reader;
        this.valid = valid;
        this.limits = limits;
    }

    /**
     * @param writer returns what a request contains: a number, flag, text, bytes, or a list of these
     * @param reader throws IllegalArgumentException for anything else
     * @param valid whether a plan may have this value, unless it is the default
     */
    Value(
            String name,
            Side side,
            @Nullable T defaultValue,
            Function<T, Object> writer,
            Function<Object, T> reader,
            Predicate<T> valid) {
        this(name, side, defaultValue, writer, reader, valid, Limits.NONE);
    }

    public static <T> Value<T> of(
            String name, Side side, @Nullable T defaultValue, Function<T, Object> writer, Function<Object, T> reader) {
        return new Value<>(name, side, defaultValue, writer, reader, value -> true);
    }

    /** A value that only the client needs. */
    public static <T> Value<T> ofClient(String name, @Nullable T defaultValue) {
        return of(name, Side.CLIENT, defaultValue, value -> name, written -> {
            throw refusal();
        });
    }

    public static Value<Boolean> flag(String name, Side side, boolean defaultValue) {
        return of(name, side, defaultValue, value -> value, Value::flag);
    }

    static Value<Long> number(String name, Side side, long defaultValue, long min, long max) {
        Limits limits = new Limits(min, max);
        return new Value<>(
                name,
                side,
                defaultValue,
                value -> value,
                written -> number(written, Long.MIN_VALUE, Long.MAX_VALUE),
                limits::admit,
                limits);
    }

    public static Value<Integer> integer(String name, Side side, int defaultValue, int min, int max) {
        Limits limits = new Limits(min, max);
        return new Value<>(
                name, side, defaultValue, Integer::longValue, Value::readInteger, value -> limits.admit(value), limits);
    }

    /** At least one number and at most this many, each with these bounds. */
    public static Value<List<Integer>> integers(
            String name, Side side, List<Integer> defaultValue, int min, int max, int maxCount) {
        Limits limits = new Limits(min, max);
        return new Value<>(
                name,
                side,
                defaultValue,
                all -> all.stream().map(Integer::longValue).toList(),
                written ->
                        list(written, maxCount).stream().map(Value::readInteger).toList(),
                all -> !all.isEmpty() && all.size() <= maxCount && all.stream().allMatch(limits::admit),
                limits);
    }

    /** One of these, written as its place among them. */
    @SuppressWarnings("EnumOrdinal") // a test of the codec fixes the order of every enum in requests
    public static <E extends Enum<E>> Value<E> choice(String name, Side side, E defaultValue, E[] all) {
        return of(
                name,
                side,
                defaultValue,
                value -> (long) value.ordinal(),
                written -> all[(int) number(written, 0, all.length - 1)]);
    }

    /** Some of these; all by default. */
    public static <E extends Enum<E>> Value<List<E>> choices(String name, Side side, E[] all) {
        Value<E> each = choice(name, side, all[0], all);
        return list(name, side, List.of(all), all.length, each.writer, each.reader);
    }

    static <T> Value<List<T>> list(
            String name,
            Side side,
            @Nullable List<T> defaultValue,
            int max,
            Function<T, Object> writer,
            Function<Object, T> reader) {
        return of(
                name,
                side,
                defaultValue,
                value -> value.stream().map(writer).toList(),
                written -> list(written, max).stream().map(reader).toList());
    }

    // ---- What a request contains, as the codec reads it.

    public static long number(@Nullable Object written, long min, long max) {
        if (written instanceof Long number && number >= min && number <= max) {
            return number;
        }
        throw refusal();
    }

    private static int readInteger(@Nullable Object written) {
        return (int) number(written, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    static boolean flag(@Nullable Object written) {
        if (written instanceof Boolean flag) {
            return flag;
        }
        throw refusal();
    }

    public static List<Object> list(@Nullable Object written, int max) {
        if (written instanceof List<?> list && list.size() <= max) {
            return new ArrayList<>(list);
        }
        throw refusal();
    }

    static RawPath path(@Nullable Object written) {
        if (!(written instanceof byte[] path)) {
            throw refusal();
        }
        for (byte each : path) {
            if (each == 0) {
                throw refusal();
            }
        }
        return RawPath.ofBytes(path);
    }

    static IllegalArgumentException refusal() {
        return new IllegalArgumentException("not such a value");
    }

    // ---- For plans.

    public Object write(T value) {
        return writer.apply(value);
    }

    /** Throws IllegalArgumentException for what is no such value. */
    public T read(@Nullable Object written) {
        T value = written == null ? null : reader.apply(written);
        if (value == null || !admits(value)) {
            throw refusal();
        }
        return value;
    }

    boolean admits(T value) {
        return valid.test(value) || isDefault(value);
    }

    /** Compares records as requests have them: the first use of a record's own equals takes a start 20 ms. */
    boolean isDefault(T value) {
        if (value == defaultValue || defaultValue == null) {
            return value == defaultValue;
        }
        return value instanceof Record
                ? side != Side.CLIENT && write(value).equals(write(defaultValue))
                : value.equals(defaultValue);
    }

    @Nullable T defaultValue() {
        return defaultValue;
    }

    public Side side() {
        return side;
    }

    public int min() {
        return (int) limits.min();
    }

    public int max() {
        return (int) limits.max();
    }

    /** Its name in requests. */
    @Override
    public String toString() {
        return name;
    }
}
