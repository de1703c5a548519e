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
 * A named value of a plan: the table of all that a network test can be asked, with bounds and what is usual. Names are
 * those of results, and public.
 */
public final class PlanValue<T> {
    private static final int DAY_MS = 86_400_000;

    public static final PlanValue<Direction> DIRECTION = new PlanValue<>("direction", Direction.OUT);

    /** Each way. */
    public static final PlanValue<Integer> STREAMS = number("streams", 4, 1, 64);

    /** In milliseconds: of all that is measured, or of each size for objects. A burst is never cut short for it. */
    public static final PlanValue<Integer> DURATION = number("duration_seconds", 10_000, 100, DAY_MS);

    /** In milliseconds, before the duration; not counted. */
    public static final PlanValue<Integer> WARM_UP = number("warm_up_seconds", 0, 0, 3_600_000);

    /** Handed to the network at once. */
    public static final PlanValue<Integer> BLOCK_BYTES = number("block_bytes", 128 << 10, 4 << 10, 16 << 20);

    /** What becomes of received bytes. */
    public static final PlanValue<Receive> RECEIVE = new PlanValue<>("receive", Receive.DISCARD);

    /** Of messages, answers or values, one after the other. */
    public static final PlanValue<List<Integer>> SIZES = new PlanValue<>("sizes", List.of(4, 128, 1024));

    /** Of a burst. */
    public static final PlanValue<Integer> MESSAGES = number("messages", 1024, 1, 1_000_000);

    /** Each with all sizes, one after the other. */
    public static final PlanValue<List<Mode>> MODES = new PlanValue<>("modes", List.of(Mode.values()));

    /** Messages of this size and longer go by rendezvous, shorter ones eagerly; 0 where all go one way. */
    public static final PlanValue<Integer> SWITCH_AT = number("switch_at", 0, 1, 64 << 20);

    /** Round trips of each size that are counted. */
    public static final PlanValue<Integer> ITERATIONS = number("iterations", 1_000_000, 1, 999_999_999);

    /** The ends ask for messages again and again instead of being woken for them. */
    public static final PlanValue<Boolean> BUSY_POLL = new PlanValue<>("busy_poll", false);

    /** What carries the messages, which are always asked for again and again then; null for the lane itself. */
    public static final PlanValue<QueueUse> QUEUES = new PlanValue<>("qp", null);

    /** The paths to those that are asked at the same time. */
    public static final PlanValue<List<NettestPath>> OTHER_SERVERS = new PlanValue<>("servers", List.of());

    public static final PlanValue<Integer> REQUEST_BYTES = number("request_bytes", 30, 4, 1 << 20);

    /** Lanes, each with one request at a time; they are dealt to the servers in turn, so there is at least one each. */
    public static final PlanValue<Integer> CONCURRENT = number("concurrent", 1, 1, 64);

    public static final PlanValue<Op> OP = new PlanValue<>("op", Op.READ);
    public static final PlanValue<Durable> DURABLE = new PlanValue<>("durable", Durable.MEMORY);
    public static final PlanValue<Reads> READS = new PlanValue<>("reads", Reads.MESSAGE);
    public static final PlanValue<Integer> KEY_BYTES = number("key_bytes", 30, 8, 255);

    /** Of each size; 0 for what fits well. */
    public static final PlanValue<Integer> OBJECTS = number("objects", 0, 1, 10_000_000);

    /** What the log holds from before. */
    public static final PlanValue<Boolean> KEEP = new PlanValue<>("keep", false);

    /** Of every request and of every answer. */
    public static final PlanValue<Integer> SIZE_BYTES = number("size_bytes", 100, 64, 64 << 10);

    /** Requests a second, step after step; empty for steps around what the path can do. */
    public static final PlanValue<List<Integer>> OFFERED = new PlanValue<>("offered", List.of());

    /** Of each pool; every pool of the one kind is measured with every one of the other. */
    public static final PlanValue<List<Integer>> RX_BUFFERS = new PlanValue<>("rx_buffers", List.of(24, 48));

    public static final PlanValue<List<Integer>> TX_BUFFERS = new PlanValue<>("tx_buffers", List.of(8, 32, 64));

    public static final int MAX_SIZES = 32;
    public static final int MAX_VALUE_BYTES = ObjectLog.MAX_VALUE_BYTES;

    /** Of all sizes together: a client that reads by RDMA holds where each of them is. */
    public static final int MAX_OBJECTS_BY_RDMA = 1 << 22;

    public static final int MAX_BUFFERS = 16 << 10;

    /** Of all buffers of one kind on one side. */
    public static final int MAX_POOL_BYTES = 1 << 20;

    public static final int MAX_PER_SECOND = 100_000_000;

    /** Of each pool, where the user leaves the load open. */
    static final int USUAL_STEPS = 8;

    /** In less time than this a step says little. */
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

    /** Those that a suite has, in the order in which they are shown. */
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

    /** Of a number. */
    public int least() {
        return least;
    }

    /** Of a number. */
    public int most() {
        return most;
    }

    @Override
    public String toString() {
        return name;
    }
}
