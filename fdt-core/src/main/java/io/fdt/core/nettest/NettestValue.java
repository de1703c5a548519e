package io.fdt.core.nettest;

import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Durable;
import io.fdt.core.nettest.NettestPlan.Mode;
import io.fdt.core.nettest.NettestPlan.Op;
import io.fdt.core.nettest.NettestPlan.Reads;
import io.fdt.core.nettest.NettestPlan.Receive;
import io.fdt.core.objects.ObjectLog;
import io.fdt.core.plan.Value;
import io.fdt.core.plan.Value.Side;
import java.util.List;

/**
 * The values of the suites of fdt; a suite may declare values of its own. Names are public: those of results and of
 * requests. Times are in milliseconds, and results show them in seconds.
 */
public final class NettestValue {
    private static final int DAY_MS = 86_400_000;

    public static final int MAX_VALUE_BYTES = ObjectLog.MAX_VALUE_BYTES;

    public static final int MAX_BUFFERS = 16 << 10;

    public static final int MAX_PER_SECOND = 100_000_000;

    public static final Value<Direction> DIRECTION =
            Value.choice("direction", Side.BOTH, Direction.OUT, Direction.values());

    /** In each direction. */
    public static final Value<Integer> STREAMS = Value.integer("streams", Side.BOTH, 4, 1, 64);

    /**
     * In milliseconds: of everything that is measured, or of each size for objects. A burst is never cut short by it.
     */
    public static final Value<Integer> DURATION = Value.integer("duration_seconds", Side.BOTH, 10_000, 100, DAY_MS);

    /** In milliseconds, before the duration; not counted. */
    public static final Value<Integer> WARM_UP = Value.integer("warm_up_seconds", Side.BOTH, 0, 0, 3_600_000);

    /** The bytes of one call to the network. */
    public static final Value<Integer> BLOCK_BYTES =
            Value.integer("block_bytes", Side.BOTH, 128 << 10, 4 << 10, 16 << 20);

    /** What happens to received bytes. */
    public static final Value<Receive> RECEIVE = Value.choice("receive", Side.BOTH, Receive.DISCARD, Receive.values());

    /** The sizes of messages, answers or values, measured one after the other. */
    public static final Value<List<Integer>> SIZES =
            Value.integers("sizes", Side.BOTH, List.of(4, 128, 1024), 1, 64 << 20, 64);

    /** Messages of a burst. */
    public static final Value<Integer> MESSAGES = Value.integer("messages", Side.BOTH, 1024, 1, 1_000_000);

    /** Each is measured with all sizes, one after the other. */
    public static final Value<List<Mode>> MODES = Value.choices("modes", Side.BOTH, Mode.values());

    /**
     * Messages of this size or larger use rendezvous, smaller ones are sent eagerly; 0 if all are sent in the same way.
     */
    public static final Value<Integer> SWITCH_AT = Value.integer("switch_at", Side.BOTH, 0, 1, 64 << 20);

    /** Counted round trips of each size. */
    public static final Value<Integer> ITERATIONS = Value.integer("iterations", Side.BOTH, 1_000_000, 1, 999_999_999);

    /** The ends busy-poll for messages instead of being woken. */
    public static final Value<Boolean> BUSY_POLL = Value.flag("busy_poll", Side.BOTH, false);

    /** Queue pairs for the messages, which are then always busy-polled; null to use the lane. */
    public static final Value<QueueUse> QUEUES = Value.of("qp", Side.BOTH, null, QueueUse::written, QueueUse::read);

    /** The paths to servers that are tested at the same time. */
    public static final Value<List<NettestPath>> OTHER_SERVERS = Value.ofClient("servers", List.of());

    public static final Value<Integer> REQUEST_BYTES = Value.integer("request_bytes", Side.BOTH, 30, 4, 1 << 20);

    /**
     * Lanes, each with one request at a time. They are distributed to the servers in turn, so each has at least one.
     */
    public static final Value<Integer> CONCURRENT = Value.integer("concurrent", Side.BOTH, 1, 1, 64);

    public static final Value<Op> OP = Value.choice("op", Side.BOTH, Op.READ, Op.values());
    public static final Value<Durable> DURABLE = Value.choice("durable", Side.BOTH, Durable.MEMORY, Durable.values());
    public static final Value<Reads> READS = Value.choice("reads", Side.BOTH, Reads.MESSAGE, Reads.values());
    public static final Value<Integer> KEY_BYTES = Value.integer("key_bytes", Side.BOTH, 30, 8, 255);

    /** Of each size; 0 for the default. */
    public static final Value<Integer> OBJECTS = Value.integer("objects", Side.BOTH, 0, 1, 10_000_000);

    /** Keep what the log contains from earlier tests. */
    public static final Value<Boolean> KEEP = Value.flag("keep", Side.BOTH, false);

    /** The size of every request and every answer. */
    public static final Value<Integer> SIZE_BYTES = Value.integer("size_bytes", Side.BOTH, 100, 64, 64 << 10);

    /** Requests per second, step by step; empty for steps around the capacity of the path. */
    public static final Value<List<Integer>> OFFERED =
            Value.integers("offered", Side.BOTH, List.of(), 1, MAX_PER_SECOND, 64);

    /** Of each pool; every pool of one kind is measured with every one of the other. */
    public static final Value<List<Integer>> RX_BUFFERS =
            Value.integers("rx_buffers", Side.BOTH, List.of(24, 48), 1, MAX_BUFFERS, 16);

    public static final Value<List<Integer>> TX_BUFFERS =
            Value.integers("tx_buffers", Side.BOTH, List.of(8, 32, 64), 1, MAX_BUFFERS, 16);

    private NettestValue() {}
}
