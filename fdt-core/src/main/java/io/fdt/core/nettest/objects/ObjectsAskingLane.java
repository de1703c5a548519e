package io.fdt.core.nettest.objects;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.nettest.CopyingLane;
import io.fdt.core.nettest.Latencies;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.SessionMessage;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Requests random objects, one after the other, and measures each from before its request until the whole answer has
 * arrived. Creating and verifying values is not part of the measured time.
 */
final class ObjectsAskingLane extends CopyingLane {
    /** The time for the first lane to request the places of all objects. */
    private static final long PLACES_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final List<Integer> sizes;
    private final int[] objects;
    private final boolean writing;
    private final ObjectsClient rounds;
    private final int keyBytes;
    private final boolean first;
    /** Of failures at the server. */
    private final String place;

    /** Null if values are sent in messages. */
    private final @Nullable ObjectPlaces places;

    private final Latencies latencies = new Latencies();
    private long version;
    private long asked;
    private long answered;
    private long reads;
    private long readBytes;

    /** @param places null if values are sent in messages */
    ObjectsAskingLane(int index, Lane lane, NettestPlan plan, ObjectsClient rounds, @Nullable ObjectPlaces places) {
        super(lane, bytes(plan), bytes(plan), ObjectFrame.NEED);
        this.sizes = plan.get(NettestValue.SIZES);
        this.objects = sizes.stream()
                .mapToInt(size -> ObjectsSuite.objectsOf(plan, size))
                .toArray();
        this.writing = plan.get(NettestValue.OP) == NettestPlan.Op.WRITE;
        this.rounds = rounds;
        this.places = places;
        this.keyBytes = plan.get(NettestValue.KEY_BYTES);
        this.first = index == 0;
        this.place = Failure.placeOf(plan.serverName(0));
        // Neither two lanes nor one lane ever give the same version to an object twice.
        this.version = (index + 1L) << 40;
    }

    private static int bytes(NettestPlan plan) {
        return ObjectFrame.mostBytes(plan.get(NettestValue.KEY_BYTES), plan.mostBytes());
    }

    @Override
    protected void run(DirectStream stream) {
        if (first && !requestState(stream)) {
            return;
        }
        if (places == null) {
            runRounds(stream, (round, number) -> ask(stream, round, number));
            return;
        }
        int largest = sizes.get(sizes.size() - 1);
        try (ObjectReads from = ObjectReads.over(lane(), largest)) {
            if (connect(stream, from) && learnPlaces(stream, places)) {
                runRounds(stream, (round, number) -> read(from, places, round, number));
            }
        }
    }

    private interface Operation {
        boolean run(int round, int number);
    }

    private void runRounds(DirectStream stream, Operation operation) {
        rounds.begin();
        for (int round = 0; round < sizes.size() && !isStopping(); round++) {
            if (!measure(round, operation)) {
                return;
            }
        }
        if (reads > 0 && !sendReads(stream)) {
            return;
        }
        boolean complete = rounds.isOver();
        if (complete && (!first || requestState(stream))) {
            rounds.laneIsComplete();
        }
    }

    /** Measures one size; false if the lane is to end. */
    private boolean measure(int round, Operation operation) {
        long from = rounds.measuredFrom(round);
        long until = rounds.end(round);
        latencies.reset();
        long now = System.nanoTime();
        boolean going = true;
        while (going && now - until < 0 && !isStopping()) {
            int number = ThreadLocalRandom.current().nextInt(objects[round]);
            going = operation.run(round, number);
            now = answered;
            if (going && asked - from >= 0 && now - until <= 0) {
                latencies.record(now - asked);
            }
        }
        rounds.add(round, latencies, Math.max(0, Math.min(System.nanoTime() - from, until - from)));
        return going;
    }

    /** With a message and its answer. */
    private boolean ask(DirectStream stream, int round, int number) {
        int size = sizes.get(round);
        int requestBytes = makeRequest(size, number);
        asked = System.nanoTime();
        boolean going = send(stream, requestBytes) && receiveAnswer(stream);
        answered = System.nanoTime();
        if (going) {
            check(size, number);
            count((long) requestBytes + arrivedBytes());
        }
        return going;
    }

    /** With this host's device. The server does not notice the read, so the count is sent at the end. */
    private boolean read(ObjectReads from, ObjectPlaces where, int round, int number) {
        int size = sizes.get(round);
        asked = System.nanoTime();
        from.read(where.part(round, number), where.at(round, number), size);
        answered = System.nanoTime();
        if (!ObjectContent.isValue(from.bytes(), 0, size, number, where.version(round, number))) {
            throw Cause.INTEGRITY.failure(
                    "object " + number + " of " + size + " bytes was read with content that was never written");
        }
        count(size);
        reads++;
        readBytes += size;
        return true;
    }

    private int makeRequest(int size, int number) {
        int valueIndex = ObjectFrame.HEADER_BYTES + keyBytes;
        ObjectContent.putKey(frame(), ObjectFrame.HEADER_BYTES, keyBytes, size, number);
        if (writing) {
            version++;
            ObjectContent.putValue(frame(), valueIndex, size, number, version);
            ObjectFrame.putHead(frame(), ObjectFrame.WRITE, size, version);
            return valueIndex + size;
        }
        ObjectFrame.putHead(frame(), ObjectFrame.READ, 0, 0);
        return valueIndex;
    }

    /** Receives exactly one answer; false if the lane is to end. */
    private boolean receiveAnswer(DirectStream stream) {
        if (!receive(stream, ObjectFrame.HEADER_BYTES, frame().capacity())) {
            return false;
        }
        int length = frame().getInt(ObjectFrame.LENGTH);
        if (length < 0 || length > frame().capacity() - ObjectFrame.HEADER_BYTES) {
            throw misfit("an answer of " + length + " bytes");
        }
        if (!receive(stream, ObjectFrame.HEADER_BYTES + length, frame().capacity())) {
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
        boolean right = writing
                ? length == 0 && of == version
                : length == size && ObjectContent.isValue(frame(), ObjectFrame.HEADER_BYTES, size, number, of);
        if (frame().get(0) != ObjectFrame.DONE || !right) {
            throw Cause.INTEGRITY.failure("object " + number + " of " + size + " bytes came back "
                    + (frame().get(0) == ObjectFrame.ABSENT ? "as missing" : "with content that was never written"));
        }
    }

    private void throwIfFailed() {
        if (frame().get(0) == ObjectFrame.FAILED) {
            byte[] why = new byte[frame().getInt(ObjectFrame.LENGTH)];
            frame().get(ObjectFrame.HEADER_BYTES, why);
            throw ControlCodec.decode(why, place) instanceof SessionMessage.Failed failed
                    ? failed.why().exception()
                    : misfit("something else than a failure");
        }
    }

    /**
     * Sends a request that is not for an object, with a value that is already in the frame; false if the lane is to
     * end.
     */
    private boolean requestOther(DirectStream stream, byte what, int size, int number, int valueBytes, long ofVersion) {
        int requestBytes = ObjectFrame.HEADER_BYTES + keyBytes + valueBytes;
        ObjectContent.putKey(frame(), ObjectFrame.HEADER_BYTES, keyBytes, size, number);
        ObjectFrame.putHead(frame(), what, valueBytes, ofVersion);
        if (!send(stream, requestBytes) || !receiveAnswer(stream)) {
            return false;
        }
        throwIfFailed();
        count((long) requestBytes + arrivedBytes());
        return true;
    }

    /** Creates the pair with which this host reads, and the server's; false if the lane is to end. */
    private boolean connect(DirectStream stream, ObjectReads from) {
        byte[] address = from.address();
        frame().put(ObjectFrame.HEADER_BYTES + keyBytes, address);
        if (!requestOther(stream, ObjectFrame.CONNECT, 0, 0, address.length, 0)) {
            return false;
        }
        from.connect(frame().duplicate().limit(arrivedBytes()).position(ObjectFrame.HEADER_BYTES));
        return true;
    }

    /** Waits for a short time; returns whether the lane is to end. Nothing may arrive meanwhile. */
    private boolean hasEnded(DirectStream stream) {
        int came = stream.receive(address(), frame().capacity());
        if (came > 0) {
            throw misfit("an answer that was not requested");
        }
        return came == DirectStream.END;
    }

    /** The first lane requests the places of all objects, and the others wait; false if the lane is to end. */
    private boolean learnPlaces(DirectStream stream, ObjectPlaces into) {
        if (first) {
            for (int round = 0; round < sizes.size(); round++) {
                if (!requestPlaces(stream, into, round)) {
                    return false;
                }
            }
            into.complete();
            return true;
        }
        long deadline = System.nanoTime() + PLACES_NANOS;
        while (!into.isComplete()) {
            if (isStopping() || hasEnded(stream)) {
                return false;
            }
            if (System.nanoTime() - deadline > 0) {
                throw lost("did not report where its objects are");
            }
        }
        return true;
    }

    private boolean requestPlaces(DirectStream stream, ObjectPlaces into, int round) {
        int size = sizes.get(round);
        int number = 0;
        while (number < objects[round]) {
            if (isStopping() || !requestOther(stream, ObjectFrame.PLACES, size, number, 0, objects[round] - number)) {
                return false;
            }
            int placed = frame().getInt(ObjectFrame.LENGTH) / ObjectFrame.PLACE_BYTES;
            if (placed < 1 || placed > objects[round] - number) {
                throw misfit("the places of a wrong number of objects");
            }
            for (int index = 0; index < placed; index++) {
                int at = ObjectFrame.HEADER_BYTES + index * ObjectFrame.PLACE_BYTES;
                into.set(round, number++, frame().getInt(at), frame().getInt(at + 4), frame().getLong(at + 8));
            }
        }
        return true;
    }

    /** Sends the count of what this lane read, so that both sides count the same; false if the lane is to end. */
    private boolean sendReads(DirectStream stream) {
        frame().putLong(ObjectFrame.HEADER_BYTES + keyBytes, readBytes);
        return requestOther(stream, ObjectFrame.HAVE_READ, 0, 0, Long.BYTES, reads);
    }

    /** Requests the state of the server; false if the lane is to end. */
    private boolean requestState(DirectStream stream) {
        if (!requestOther(stream, ObjectFrame.STATE, 0, 0, 0, 0)) {
            return false;
        }
        if (frame().getInt(ObjectFrame.LENGTH) != ObjectFrame.STATE_BYTES) {
            throw misfit("a state of the wrong length");
        }
        int at = ObjectFrame.HEADER_BYTES;
        rounds.setState(new JsonObject()
                .with("objects_held", frame().getLong(at))
                .with("objects_kept", frame().getLong(at + 8))
                .with("log_records", frame().getLong(at + 16))
                .with("log_flushes", frame().getLong(at + 24)));
        return true;
    }
}
