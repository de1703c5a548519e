package io.fdt.core.nettest;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import org.HdrHistogram.Histogram;

/**
 * Asks for objects at random, one after the other, and measures each from before it is sent until all of the answer is there.
 * Making and checking values is not part of an operation's time.
 */
final class ObjectsAskingLane extends ObjectsLane {
    private final ObjectsPlan plan;
    private final ObjectsRounds rounds;
    private final int keyBytes;
    private final boolean first;
    private final Histogram latencies = ObjectsRounds.histogram();
    private long version;

    ObjectsAskingLane(int index, Lane lane, LaneEnd end, ObjectsPlan plan, ObjectsRounds rounds) {
        super(
                lane,
                end,
                ObjectFrame.mostBytes(
                        plan.keyBytes(),
                        plan.sizes().stream().mapToInt(Integer::intValue).toArray()));
        this.plan = plan;
        this.rounds = rounds;
        this.keyBytes = plan.keyBytes();
        this.first = index == 0;
        // Two lanes never give the same version to an object, nor does a lane twice.
        this.version = (index + 1L) << 40;
    }

    @Override
    void run(DirectStream stream) {
        if (first && !askState(stream)) {
            return;
        }
        rounds.begin();
        for (int round = 0; round < plan.sizes().size() && !isStopping(); round++) {
            if (!measure(stream, round)) {
                return;
            }
        }
        boolean complete = rounds.isOver();
        if (complete && (!first || askState(stream))) {
            rounds.laneIsComplete();
        }
    }

    /** One size; false when the lane is to end. */
    private boolean measure(DirectStream stream, int round) {
        int size = plan.sizes().get(round);
        int objects = plan.objectsOf(size);
        long from = rounds.measuredFrom(round);
        long until = rounds.end(round);
        latencies.reset();
        long now = System.nanoTime();
        boolean going = true;
        while (going && now - until < 0 && !isStopping()) {
            int number = ThreadLocalRandom.current().nextInt(objects);
            int requestBytes = makeRequest(size, number);
            long start = System.nanoTime();
            going = send(stream, requestBytes) && receiveAnswer(stream);
            now = System.nanoTime();
            if (going) {
                check(size, number);
                count((long) requestBytes + arrivedBytes());
                if (start - from >= 0 && now - until <= 0) {
                    latencies.recordValue(Math.min(now - start, ObjectsRounds.MOST_NANOS));
                }
            }
        }
        rounds.add(round, latencies, Math.max(0, Math.min(System.nanoTime() - from, until - from)));
        return going;
    }

    private int makeRequest(int size, int number) {
        int valueIndex = ObjectFrame.HEADER_BYTES + keyBytes;
        ObjectContent.putKey(frame(), ObjectFrame.HEADER_BYTES, keyBytes, size, number);
        if (plan.writing()) {
            version++;
            ObjectContent.putValue(frame(), valueIndex, size, number, version);
            head(ObjectFrame.WRITE, size, version);
            return valueIndex + size;
        }
        head(ObjectFrame.READ, 0, 0);
        return valueIndex;
    }

    private void head(byte what, int length, long ofVersion) {
        frame().putInt(0, what << 24).putInt(ObjectFrame.LENGTH, length).putLong(ObjectFrame.VERSION, ofVersion);
    }

    /** All of one answer and nothing more; false when the lane is to end. */
    private boolean receiveAnswer(DirectStream stream) {
        if (!receive(stream, ObjectFrame.HEADER_BYTES)) {
            return false;
        }
        int length = frame().getInt(ObjectFrame.LENGTH);
        if (length < 0 || length > frame().capacity() - ObjectFrame.HEADER_BYTES) {
            throw misfit("an answer of " + length + " bytes");
        }
        if (!receive(stream, ObjectFrame.HEADER_BYTES + length)) {
            return false;
        }
        if (arrivedBytes() != ObjectFrame.HEADER_BYTES + length) {
            throw misfit("more than the answer");
        }
        return true;
    }

    private void check(int size, int number) {
        throwIfFailed();
        int length = frame().getInt(ObjectFrame.LENGTH);
        long of = frame().getLong(ObjectFrame.VERSION);
        boolean right = plan.writing()
                ? length == 0 && of == version
                : length == size && ObjectContent.isValue(frame(), ObjectFrame.HEADER_BYTES, size, number, of);
        if (frame().get(0) != ObjectFrame.DONE || !right) {
            throw new TransferException(
                    FailureKind.INTEGRITY,
                    "object " + number + " of " + size + " bytes came back "
                            + (frame().get(0) == ObjectFrame.ABSENT
                                    ? "as absent"
                                    : "with a content that nobody wrote"));
        }
    }

    private void throwIfFailed() {
        if (frame().get(0) == ObjectFrame.FAILED) {
            byte[] text = new byte[Math.min(frame().getInt(ObjectFrame.LENGTH), ObjectFrame.MAX_MESSAGE_BYTES)];
            frame().get(ObjectFrame.HEADER_BYTES, text);
            throw new TransferException(
                    FailureKind.ofExitCode((int) frame().getLong(ObjectFrame.VERSION)),
                    new String(text, StandardCharsets.UTF_8));
        }
    }

    /** What the server holds; false when the lane is to end. */
    private boolean askState(DirectStream stream) {
        int requestBytes = ObjectFrame.HEADER_BYTES + keyBytes;
        ObjectContent.putKey(frame(), ObjectFrame.HEADER_BYTES, keyBytes, 0, 0);
        head(ObjectFrame.STATE, 0, 0);
        if (!send(stream, requestBytes) || !receiveAnswer(stream)) {
            return false;
        }
        throwIfFailed();
        if (frame().getInt(ObjectFrame.LENGTH) != ObjectFrame.STATE_BYTES) {
            throw misfit("a state of another length");
        }
        count((long) requestBytes + arrivedBytes());
        int at = ObjectFrame.HEADER_BYTES;
        rounds.setState(new ObjectsRounds.State(
                frame().getLong(at), frame().getLong(at + 8), frame().getLong(at + 16), frame().getLong(at + 24)));
        return true;
    }
}
