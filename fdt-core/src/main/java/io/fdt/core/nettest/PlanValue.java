package io.fdt.core.nettest;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Word;
import io.fdt.core.failure.Cause;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Durable;
import io.fdt.core.nettest.NettestPlan.Mode;
import io.fdt.core.nettest.NettestPlan.Op;
import io.fdt.core.nettest.NettestPlan.Reads;
import io.fdt.core.nettest.NettestPlan.Receive;
import io.fdt.core.objects.ObjectLog;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A named value of a plan, with its default and bounds, how it is sent to the server, and how results show it. These
 * are the values of the suites of fdt; a suite may declare values of its own. Names are public: those of results and of
 * requests.
 */
public final class PlanValue<T> {
    private static final int DAY_MS = 86_400_000;

    public static final int MAX_VALUE_BYTES = ObjectLog.MAX_VALUE_BYTES;

    public static final int MAX_BUFFERS = 16 << 10;

    public static final int MAX_PER_SECOND = 100_000_000;

    public static final PlanValue<Direction> DIRECTION = choice("direction", Direction.OUT, Direction.values());

    /** In each direction. */
    public static final PlanValue<Integer> STREAMS = number("streams", 4, 1, 64);

    /**
     * In milliseconds: of everything that is measured, or of each size for objects. A burst is never cut short by it.
     */
    public static final PlanValue<Integer> DURATION = timeMs("duration_seconds", 10_000, 100, DAY_MS);

    /** In milliseconds, before the duration; not counted. */
    public static final PlanValue<Integer> WARM_UP = timeMs("warm_up_seconds", 0, 0, 3_600_000);

    /** The bytes of one call to the network. */
    public static final PlanValue<Integer> BLOCK_BYTES = number("block_bytes", 128 << 10, 4 << 10, 16 << 20);

    /** What happens to received bytes. */
    public static final PlanValue<Receive> RECEIVE = choice("receive", Receive.DISCARD, Receive.values());

    /** The sizes of messages, answers or values, measured one after the other. */
    public static final PlanValue<List<Integer>> SIZES = numbers("sizes", List.of(4, 128, 1024), 1, 64 << 20, 64);

    /** Messages of a burst. */
    public static final PlanValue<Integer> MESSAGES = number("messages", 1024, 1, 1_000_000);

    /** Each is measured with all sizes, one after the other. */
    public static final PlanValue<List<Mode>> MODES = choices("modes", Mode.values());

    /**
     * Messages of this size or larger use rendezvous, smaller ones are sent eagerly; 0 if all are sent in the same way.
     */
    public static final PlanValue<Integer> SWITCH_AT = number("switch_at", 0, 1, 64 << 20);

    /** Counted round trips of each size. */
    public static final PlanValue<Integer> ITERATIONS = number("iterations", 1_000_000, 1, 999_999_999);

    /** The ends busy-poll for messages instead of being woken. */
    public static final PlanValue<Boolean> BUSY_POLL = flag("busy_poll");

    /** Queue pairs for the messages, which are then always busy-polled; null to use the lane. */
    public static final PlanValue<QueueUse> QUEUES = new PlanValue<>("qp", null, 0, 0, QueueUse.VALUE);

    /** The paths to servers that are tested at the same time. */
    public static final PlanValue<List<NettestPath>> OTHER_SERVERS = local("servers", List.of());

    public static final PlanValue<Integer> REQUEST_BYTES = number("request_bytes", 30, 4, 1 << 20);

    /**
     * Lanes, each with one request at a time. They are distributed to the servers in turn, so each has at least one.
     */
    public static final PlanValue<Integer> CONCURRENT = number("concurrent", 1, 1, 64);

    public static final PlanValue<Op> OP = choice("op", Op.READ, Op.values());
    public static final PlanValue<Durable> DURABLE = choice("durable", Durable.MEMORY, Durable.values());
    public static final PlanValue<Reads> READS = choice("reads", Reads.MESSAGE, Reads.values());
    public static final PlanValue<Integer> KEY_BYTES = number("key_bytes", 30, 8, 255);

    /** Of each size; 0 for the default. */
    public static final PlanValue<Integer> OBJECTS = number("objects", 0, 1, 10_000_000);

    /** Keep what the log contains from earlier tests. */
    public static final PlanValue<Boolean> KEEP = flag("keep");

    /** The size of every request and every answer. */
    public static final PlanValue<Integer> SIZE_BYTES = number("size_bytes", 100, 64, 64 << 10);

    /** Requests per second, step by step; empty for steps around the capacity of the path. */
    public static final PlanValue<List<Integer>> OFFERED = numbers("offered", List.of(), 1, MAX_PER_SECOND, 64);

    /** Of each pool; every pool of one kind is measured with every one of the other. */
    public static final PlanValue<List<Integer>> RX_BUFFERS =
            numbers("rx_buffers", List.of(24, 48), 1, MAX_BUFFERS, 16);

    public static final PlanValue<List<Integer>> TX_BUFFERS =
            numbers("tx_buffers", List.of(8, 32, 64), 1, MAX_BUFFERS, 16);

    private final String name;
    private final @Nullable T defaultValue;
    private final int min;
    private final int max;
    private final Form<T> form;

    /** How values of a type travel, and how results show them. */
    interface Form<T> {
        /** Null if the value stays with the client. */
        @Nullable List<Long> toNumbers(T value);

        /** Throws IllegalArgumentException if the numbers are no such value; its bounds are checked in a plan. */
        T of(List<Long> numbers);

        /** Whether it may have this many elements. */
        default boolean hasFittingCount(T value) {
            return true;
        }

        /** The numbers to which the bounds apply. */
        default List<Integer> bounded(T value) {
            return List.of();
        }

        default void put(String name, T value, JsonObject into) {
            into.with(name, value);
        }
    }

    PlanValue(String name, @Nullable T defaultValue, int min, int max, Form<T> form) {
        this.name = name;
        this.defaultValue = defaultValue;
        this.min = min;
        this.max = max;
        this.form = form;
    }

    public static PlanValue<Integer> number(String name, int defaultValue, int min, int max) {
        return new PlanValue<>(name, defaultValue, min, max, new OfNumber());
    }

    /** In milliseconds; results show seconds. */
    public static PlanValue<Integer> timeMs(String name, int defaultValue, int min, int max) {
        return new PlanValue<>(name, defaultValue, min, max, new OfNumber() {
            @Override
            public void put(String shown, Integer ms, JsonObject into) {
                into.with(shown, ms / 1e3, 3);
            }
        });
    }

    public static PlanValue<Boolean> flag(String name) {
        return new PlanValue<>(name, false, 0, 0, new Form<>() {
            @Override
            public List<Long> toNumbers(Boolean value) {
                return List.of(value ? 1L : 0L);
            }

            @Override
            public Boolean of(List<Long> numbers) {
                return index(numbers, 2) == 1;
            }
        });
    }

    public static <E extends Enum<E>> PlanValue<E> choice(String name, E defaultValue, E[] all) {
        return new PlanValue<>(name, defaultValue, 0, 0, new Form<>() {
            @Override
            @SuppressWarnings("EnumOrdinal") // The order of each enum is on the wire.
            public List<Long> toNumbers(E value) {
                return List.of((long) value.ordinal());
            }

            @Override
            public E of(List<Long> numbers) {
                return all[index(numbers, all.length)];
            }

            @Override
            public void put(String shown, E value, JsonObject into) {
                into.with(shown, Word.of(value));
            }
        });
    }

    /** Some of these; all by default. */
    public static <E extends Enum<E>> PlanValue<List<E>> choices(String name, E[] all) {
        return new PlanValue<>(name, List.of(all), 0, 0, new Form<>() {
            @Override
            @SuppressWarnings("EnumOrdinal") // The order of each enum is on the wire.
            public List<Long> toNumbers(List<E> value) {
                return value.stream().map(each -> (long) each.ordinal()).toList();
            }

            @Override
            public List<E> of(List<Long> numbers) {
                return numbers.stream()
                        .map(number -> all[index(List.of(number), all.length)])
                        .toList();
            }

            @Override
            public void put(String shown, List<E> value, JsonObject into) {
                into.with(shown, value.stream().map(Word::of).toList());
            }
        });
    }

    /** A list of numbers with these bounds, with at most this many elements. */
    public static PlanValue<List<Integer>> numbers(
            String name, List<Integer> defaultValue, int min, int max, int maxCount) {
        return new PlanValue<>(name, defaultValue, min, max, new Form<>() {
            @Override
            public List<Long> toNumbers(List<Integer> value) {
                return value.stream().map(Integer::longValue).toList();
            }

            @Override
            public List<Integer> of(List<Long> numbers) {
                return numbers.stream().map(Math::toIntExact).toList();
            }

            @Override
            public boolean hasFittingCount(List<Integer> value) {
                return !value.isEmpty() && value.size() <= maxCount;
            }

            @Override
            public List<Integer> bounded(List<Integer> value) {
                return value;
            }
        });
    }

    /** A value that the server does not need. */
    public static <T> PlanValue<T> local(String name, T defaultValue) {
        return new PlanValue<>(name, defaultValue, 0, 0, new Form<>() {
            @Override
            public @Nullable List<Long> toNumbers(T value) {
                return null;
            }

            @Override
            public T of(List<Long> numbers) {
                throw new IllegalArgumentException("not for a server");
            }
        });
    }

    private static class OfNumber implements Form<Integer> {
        @Override
        public List<Long> toNumbers(Integer value) {
            return List.of(value.longValue());
        }

        @Override
        public Integer of(List<Long> numbers) {
            return index(numbers, Integer.MAX_VALUE);
        }

        @Override
        public List<Integer> bounded(Integer value) {
            return List.of(value);
        }
    }

    /** The only number of a list, below this bound. */
    static int index(List<Long> numbers, int below) {
        if (numbers.size() != 1 || numbers.get(0) < 0 || numbers.get(0) >= below) {
            throw new IllegalArgumentException("out of bounds");
        }
        return numbers.get(0).intValue();
    }

    // ---- For plans.

    @Nullable List<Long> toNumbers(T value) {
        return form.toNumbers(value);
    }

    /** The value from a request; throws IllegalArgumentException or ArithmeticException if it is none. */
    T of(List<Long> numbers) {
        return form.of(numbers);
    }

    /** Throws USAGE if no plan can have this value. */
    @SuppressWarnings("unchecked") // plans accept only values of the right type
    void require(Object value) {
        boolean within = form.hasFittingCount((T) value)
                && form.bounded((T) value).stream().allMatch(each -> each >= min && each <= max);
        if (!within && !value.equals(defaultValue)) {
            throw Cause.USAGE.failure(name + " is out of bounds: " + value);
        }
    }

    /** Adds the plan's value to figures, if it has one. */
    public void put(NettestPlan plan, JsonObject into) {
        T value = plan.find(this);
        if (value != null) {
            form.put(name, value, into);
        }
    }

    @Nullable T defaultValue() {
        return defaultValue;
    }

    public int min() {
        return min;
    }

    public int max() {
        return max;
    }

    /** Its public name. */
    @Override
    public String toString() {
        return name;
    }
}
