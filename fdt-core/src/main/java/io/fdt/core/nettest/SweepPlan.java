package io.fdt.core.nettest;

import io.fdt.core.transport.Carrier;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.Receive;
import io.fdt.core.wire.NettestMessage.Suite;
import java.util.List;

/**
 * A checked streaming test: bursts of messages of one size, each burst with one acknowledgement. Immutable.
 *
 * @param sizes of messages, one after the other
 * @param messages of a burst
 * @param modes each with all sizes, one after the other
 * @param durationMs that is aimed at for everything; a burst is never cut short for it
 * @param switchAtBytes messages of this size and longer go by rendezvous, shorter ones eagerly; 0 where all go one way
 */
public record SweepPlan(
        NettestPath path, List<Integer> sizes, int messages, List<Mode> modes, long durationMs, int switchAtBytes)
        implements NettestPlan {
    /** Where the messages of well-known libraries go the other way, too. */
    public static final int USUAL_SWITCH_BYTES = 16 << 10;

    /** Messages that are announced before the first of them is sent, where the next need not wait. */
    private static final int MOST_ANNOUNCED = 16;

    public SweepPlan {
        sizes = List.copyOf(sizes);
        modes = List.copyOf(modes);
    }

    /** All messages go one way, or over RDMA they switch at the usual size. */
    public SweepPlan(NettestPath path, List<Integer> sizes, int messages, List<Mode> modes, long durationMs) {
        this(path, sizes, messages, modes, durationMs, path.carrier() == Carrier.RDMA ? USUAL_SWITCH_BYTES : 0);
    }

    /** How a message goes. */
    public enum Protocol {
        /** Bytes of a stream; the network stack says when there is room. */
        STREAM,
        /** Into what the receiver has granted beforehand, to whatever comes. */
        EAGER,
        /** It is announced first, and goes when the receiver has said that it is ready for it. */
        RENDEZVOUS
    }

    public Protocol protocolOf(int sizeBytes) {
        if (switchAtBytes == 0) {
            return Protocol.STREAM;
        }
        return sizeBytes < switchAtBytes ? Protocol.EAGER : Protocol.RENDEZVOUS;
    }

    /** How many messages of this size may be announced and not sent yet; 0 where none is announced. */
    int announced(int sizeBytes, Mode mode) {
        if (protocolOf(sizeBytes) != Protocol.RENDEZVOUS) {
            return 0;
        }
        return mode == Mode.BLOCKING ? 1 : MOST_ANNOUNCED;
    }

    /** How a message follows the one before it. */
    public enum Mode {
        /** A call a message; the next begins when the network stack has taken all of it. */
        BLOCKING,
        /** As many messages as there is room for go with one call. */
        NONBLOCKING
    }

    @Override
    public SweepPlan over(Carrier carrier) {
        return carrier == path.carrier() ? this : new SweepPlan(path.over(carrier), sizes, messages, modes, durationMs);
    }

    @Override
    public OpenNettest request() {
        return new OpenNettest(
                Suite.SWEEP,
                1,
                0,
                0,
                1,
                Receive.COPY,
                path.clear(),
                sizes.stream().mapToInt(Integer::intValue).toArray(),
                messages,
                0,
                false,
                false,
                path.timeoutMs());
    }
}
