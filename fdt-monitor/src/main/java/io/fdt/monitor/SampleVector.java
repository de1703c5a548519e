package io.fdt.monitor;

import io.fdt.core.HostView;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.Sample.LaneState;
import io.fdt.monitor.figure.Sample.QueueRate;
import io.fdt.monitor.figure.Sample.SessionState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Converts a sample to a row of whole numbers and back, for recordings. Texts are replaced by numbers of a table.
 * Shares are in ten-thousandths and rates are whole, as on the page. The files of sessions and the findings about their
 * lanes are omitted. The order of the numbers is part of the recording's format, see {@code docs/monitoring.md}.
 */
final class SampleVector {
    private static final double SHARE_STEPS = 10_000;

    /** Far more than a sampler produces, and small enough that a reader accepts the sample. */
    private static final int MAX_LANES = 20_000;

    private SampleVector() {}

    /** A growing row of numbers. */
    static final class Row {
        private long[] numbers = new long[256];
        private int length;

        int length() {
            return length;
        }

        long get(int index) {
            return index < length ? numbers[index] : 0;
        }

        void add(long number) {
            if (length == numbers.length) {
                numbers = Arrays.copyOf(numbers, 2 * length);
            }
            numbers[length++] = number;
        }

        void clear() {
            length = 0;
        }
    }

    /** @param textNumber returns the number of a text, 0 for null */
    static void write(Sample sample, Row row, ToLongFunction<@Nullable String> textNumber) {
        row.add(sample.epochMs());
        row.add(textNumber.applyAsLong(sample.role()));
        write(sample.view(), row, textNumber);
        row.add(sample.queues().size());
        for (QueueRate queue : sample.queues()) {
            row.add(textNumber.applyAsLong(queue.nic()));
            row.add(textNumber.applyAsLong(queue.queue()));
            row.add(queue.irq());
            row.add(queue.core());
            row.add(rate(queue.interruptsPerSecond()));
        }
        row.add(sample.sessions().size());
        for (SessionState session : sample.sessions()) {
            row.add(textNumber.applyAsLong(session.session()));
            row.add(textNumber.applyAsLong(session.service()));
            row.add(textNumber.applyAsLong(session.direction()));
            row.add(textNumber.applyAsLong(session.peer()));
            row.add(session.files());
            row.add(session.filesTotal());
            row.add(session.bytes());
            row.add(session.bytesTotal());
            row.add(rate(session.bytesPerSecond()));
            row.add(session.chunksResent());
            row.add(textNumber.applyAsLong(session.limit()));
            row.add(textNumber.applyAsLong(session.verdict()));
            row.add(session.ended() ? 1 : 0);
        }
        List<LaneState> lanes =
                sample.lanes().subList(0, Math.min(sample.lanes().size(), MAX_LANES));
        row.add(lanes.size());
        for (LaneState lane : lanes) {
            row.add(textNumber.applyAsLong(lane.session()));
            row.add(lane.lane());
            row.add(textNumber.applyAsLong(lane.direction()));
            row.add(lane.bytes());
            row.add(rate(lane.bytesPerSecond()));
            row.add(lane.rttUs());
            row.add(lane.retransmits());
            row.add(lane.cwndBytes());
            row.add(lane.core());
            row.add(lane.incomingCore());
            row.add(textNumber.applyAsLong(lane.queue()));
        }
        row.add(sample.peers().size());
        for (Map.Entry<String, HostView> peer : sample.peers().entrySet()) {
            row.add(textNumber.applyAsLong(peer.getKey()));
            write(peer.getValue(), row, textNumber);
        }
    }

    private static void write(HostView view, Row row, ToLongFunction<@Nullable String> textNumber) {
        row.add(textNumber.applyAsLong(view.host()));
        row.add(view.cores().size());
        for (HostView.Core core : view.cores()) {
            row.add(core.core());
            row.add(core.node());
            row.add(share(core.user()));
            row.add(share(core.nice()));
            row.add(share(core.system()));
            row.add(share(core.irq()));
            row.add(share(core.softirq()));
            row.add(share(core.iowait()));
            row.add(share(core.steal()));
            row.add(share(core.idle()));
        }
        row.add(view.nics().size());
        for (HostView.Nic nic : view.nics()) {
            row.add(textNumber.applyAsLong(nic.nic()));
            row.add(nic.speedBits());
            row.add(textNumber.applyAsLong(nic.bond()));
            row.add(rate(nic.rxBytesPerSecond()));
            row.add(rate(nic.txBytesPerSecond()));
            row.add(rate(nic.rxDropsPerSecond()));
            row.add(rate(nic.txDropsPerSecond()));
        }
    }

    private static long share(double share) {
        return Math.round(share * SHARE_STEPS);
    }

    private static long rate(double rate) {
        return rate < 0 ? -1 : Math.round(rate);
    }

    /**
     * Reads a row.
     *
     * @param texts returns the text of a number, null for 0
     * @throws MisfitException if the row is not a sample
     */
    static Sample read(Row row, LongFunction<@Nullable String> texts) {
        return new Reader(row, texts).sample();
    }

    /** Thrown if a recording contains data that no recorder writes. */
    static final class MisfitException extends RuntimeException {
        private static final long serialVersionUID = 1;

        MisfitException(String why) {
            super(why);
        }
    }

    private static final class Reader {
        private final Row row;
        private final LongFunction<@Nullable String> texts;
        private int at;

        Reader(Row row, LongFunction<@Nullable String> texts) {
            this.row = row;
            this.texts = texts;
        }

        Sample sample() {
            Sample sample = new Sample(
                    number(),
                    text(),
                    host(),
                    many(() -> new QueueRate(text(), text(), whole(), whole(), number())),
                    many(this::session),
                    many(this::lane),
                    peers());
            if (at != row.length()) {
                throw new MisfitException("numbers behind a sample's end");
            }
            return sample;
        }

        private HostView host() {
            return new HostView(text(), many(this::core), many(this::nic));
        }

        private HostView.Core core() {
            return new HostView.Core(
                    whole(), whole(), share(), share(), share(), share(), share(), share(), share(), share());
        }

        private HostView.Nic nic() {
            return new HostView.Nic(text(), number(), textOrNull(), number(), number(), number(), number());
        }

        private SessionState session() {
            return new SessionState(
                    text(),
                    text(),
                    text(),
                    text(),
                    number(),
                    number(),
                    number(),
                    number(),
                    number(),
                    number(),
                    textOrNull(),
                    textOrNull(),
                    null,
                    null,
                    number() != 0);
        }

        private LaneState lane() {
            return new LaneState(
                    text(),
                    whole(),
                    text(),
                    number(),
                    number(),
                    number(),
                    number(),
                    number(),
                    whole(),
                    whole(),
                    textOrNull());
        }

        private Map<String, HostView> peers() {
            Map<String, HostView> peers = new LinkedHashMap<>();
            for (long left = count(); left > 0; left--) {
                peers.put(text(), host());
            }
            return peers;
        }

        private <T> List<T> many(Supplier<T> one) {
            List<T> list = new ArrayList<>();
            for (long left = count(); left > 0; left--) {
                list.add(one.get());
            }
            return list;
        }

        /** Each item takes at least one number, so a count cannot exceed the numbers left. */
        private long count() {
            long count = number();
            if (count < 0 || count > row.length() - at) {
                throw new MisfitException("a count of " + count);
            }
            return count;
        }

        private long number() {
            if (at >= row.length()) {
                throw new MisfitException("a sample without its end");
            }
            return row.get(at++);
        }

        private int whole() {
            long number = number();
            if (number < Integer.MIN_VALUE || number > Integer.MAX_VALUE) {
                throw new MisfitException("a number of " + number);
            }
            return (int) number;
        }

        private double share() {
            return number() / SHARE_STEPS;
        }

        private @Nullable String textOrNull() {
            return texts.apply(number());
        }

        private String text() {
            String text = textOrNull();
            if (text == null) {
                throw new MisfitException("a text is missing");
            }
            return text;
        }
    }
}
