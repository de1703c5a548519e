package io.fdt.core.nettest;

import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Durable;
import io.fdt.core.nettest.NettestPlan.Mode;
import io.fdt.core.nettest.NettestPlan.Op;
import io.fdt.core.nettest.NettestPlan.Reads;
import io.fdt.core.objects.ObjectLog;
import io.fdt.core.wire.NettestMessage.Receive;
import io.fdt.core.wire.NettestMessage.Suite;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A named value of a plan. This is the table of all options of network tests, with bounds and defaults. Names are those
 * of results, and public.
 */
public final class PlanValue<T> {
    private static final int DAY_MS = 86_400_000;

    public static final PlanValue<Direction> DIRECTION = new PlanValue<>("direction", Direction.OUT);

    /** In each direction. */
    public static final PlanValue<Integer> STREAMS = number("streams", 4, 1, 64);

    /**
     * In milliseconds: of everything that is measured, or of each size for objects. A burst is never cut short by it.
     */
    public static final PlanValue<Integer> DURATION = number("duration_seconds", 10_000, 100, DAY_MS);

    /** In milliseconds, before the duration; not counted. */
    public static final PlanValue<Integer> WARM_UP = number("warm_up_seconds", 0, 0, 3_600_000);

    /** The bytes of one call to the network. */
    public static final PlanValue<Integer> BLOCK_BYTES = number("block_bytes", 128 << 10, 4 << 10, 16 << 20);

    /** What happens to received bytes. */
    public static final PlanValue<Receive> RECEIVE = new PlanValue<>("receive", Receive.DISCARD);

    /** The sizes of messages, answers or values, measured one after the other. */
    public static final PlanValue<List<Integer>> SIZES = new PlanValue<>("sizes", List.of(4, 128, 1024));

    /** Messages of a burst. */
    public static final PlanValue<Integer> MESSAGES = number("messages", 1024, 1, 1_000_000);

    /** Each is measured with all sizes, one after the other. */
    public static final PlanValue<List<Mode>> MODES = new PlanValue<>("modes", List.of(Mode.values()));

    /**
     * Messages of this size or larger use rendezvous, smaller ones are sent eagerly; 0 if all are sent in the same way.
     */
    public static final PlanValue<Integer> SWITCH_AT = number("switch_at", 0, 1, 64 << 20);

    /** Counted round trips of each size. */
    public static final PlanValue<Integer> ITERATIONS = number("iterations", 1_000_000, 1, 999_999_999);

    /** The ends busy-poll for messages instead of being woken. */
    public static final PlanValue<Boolean> BUSY_POLL = new PlanValue<>("busy_poll", false);

    /** Queue pairs for the messages, which are then always busy-polled; null to use the lane. */
    public static final PlanValue<QueueUse> QUEUES = new PlanValue<>("qp", null);

    /** The paths to servers that are tested at the same time. */
    public static final PlanValue<List<NettestPath>> OTHER_SERVERS = new PlanValue<>("servers", List.of());

    public static final PlanValue<Integer> REQUEST_BYTES = number("request_bytes", 30, 4, 1 << 20);

    /**
     * Lanes, each with one request at a time. They are distributed to the servers in turn, so each has at least one.
     */
    public static final PlanValue<Integer> CONCURRENT = number("concurrent", 1, 1, 64);

    public static final PlanValue<Op> OP = new PlanValue<>("op", Op.READ);
    public static final PlanValue<Durable> DURABLE = new PlanValue<>("durable", Durable.MEMORY);
    public static final PlanValue<Reads> READS = new PlanValue<>("reads", Reads.MESSAGE);
    public static final PlanValue<Integer> KEY_BYTES = number("key_bytes", 30, 8, 255);

    /** Of each size; 0 for the default. */
    public static final PlanValue<Integer> OBJECTS = number("objects", 0, 1, 10_000_000);

    /** Keep what the log contains from earlier tests. */
    public static final PlanValue<Boolean> KEEP = new PlanValue<>("keep", false);

    /** The size of every request and every answer. */
    public static final PlanValue<Integer> SIZE_BYTES = number("size_bytes", 100, 64, 64 << 10);

    /** Requests per second, step by step; empty for steps around the capacity of the path. */
    public static final PlanValue<List<Integer>> OFFERED = new PlanValue<>("offered", List.of());

    /** Of each pool; every pool of one kind is measured with every one of the other. */
    public static final PlanValue<List<Integer>> RX_BUFFERS = new PlanValue<>("rx_buffers", List.of(24, 48));

    public static final PlanValue<List<Integer>> TX_BUFFERS = new PlanValue<>("tx_buffers", List.of(8, 32, 64));

    public static final int MAX_SIZES = 32;
    public static final int MAX_VALUE_BYTES = ObjectLog.MAX_VALUE_BYTES;

    /** Of all sizes together: a client that reads over RDMA stores the place of each of them. */
    public static final int MAX_OBJECTS_BY_RDMA = 1 << 22;

    public static final int MAX_BUFFERS = 16 << 10;

    /** All buffers of one kind on one side. */
    public static final int MAX_POOL_BYTES = 1 << 20;

    public static final int MAX_PER_SECOND = 100_000_000;

    /** Of each pool, if the user does not specify the load. */
    static final int USUAL_STEPS = 8;

    /** A shorter step has little meaning. */
    public static final int LEAST_STEP_MS = 100;

    private final String name;
    private final @Nullable T usual;
    private final int least;
    private final int most;

    private PlanValue(String name, @Nullable T usual) {
        this(name, usual, 0, 0);
    }

    private PlanValue(String name, @Nullable T usual, int least, int most) {
        this.name = name;
        this.usual = usual;
        this.least = least;
        this.most = most;
    }

    private static PlanValue<Integer> number(String name, int usual, int least, int most) {
        return new PlanValue<>(name, usual, least, most);
    }

    /** The values of a suite, in the order in which they are shown. */
    static List<PlanValue<?>> of(Suite suite) {
        return switch (suite) {
            case THROUGHPUT -> List.of(DIRECTION, STREAMS, DURATION, WARM_UP, BLOCK_BYTES, RECEIVE);
            case SWEEP -> List.of(SIZES, MESSAGES, MODES, SWITCH_AT, DURATION);
            case LATENCY -> List.of(SIZES, ITERATIONS, BUSY_POLL, QUEUES);
            case RPC -> List.of(OTHER_SERVERS, REQUEST_BYTES, SIZES, CONCURRENT, DURATION, BUSY_POLL);
            case OBJECTS -> List.of(OP, DURABLE, READS, CONCURRENT, KEY_BYTES, SIZES, OBJECTS, KEEP, DURATION);
            case LOAD -> List.of(SIZE_BYTES, OFFERED, RX_BUFFERS, TX_BUFFERS, DURATION, BUSY_POLL);
        };
    }

    public String displayName() {
        return name;
    }

    @Nullable T usual() {
        return usual;
    }

    /** The lower bound of a number. */
    public int least() {
        return least;
    }

    /** The upper bound of a number. */
    public int most() {
        return most;
    }

    @Override
    public String toString() {
        return name;
    }
}
