package io.fdt.core.nettest.objects;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.nettest.CopyingLane;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Questions;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.SessionMessage;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Requests random objects, one after the other. Creating and verifying values is not part of the measured time. */
final class ObjectsAskingLane extends CopyingLane {
    /** The time for the first lane to request the places of all objects. */
    private static final long PLACES_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final List<Integer> sizes;
    private final int[] objects;
    private final boolean writing;
    private final ObjectsClient client;
    private final int keyBytes;
    private final boolean first;
    /** Of failures at the server. */
    private final String place;

    /** Null if values are sent in messages. */
    private final @Nullable ObjectPlaces places;

    private long version;
    private long reads;
    private long readBytes;

    /** @param places null if values are sent in messages */
    ObjectsAskingLane(int index, Lane lane, NettestPlan plan, ObjectsClient client, @Nullable ObjectPlaces places) {
        super(lane, bytes(plan), bytes(plan), ObjectFrame.NEED);
        this.sizes = plan.get(NettestValue.SIZES);
        this.objects = sizes.stream()
                .mapToInt(size -> ObjectsSuite.objectsOf(plan, size))
                .toArray();
        this.writing = plan.get(NettestValue.OP) == NettestPlan.Op.WRITE;
        this.client = client;
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
            askAll(stream, null);
            return;
        }
        int largest = sizes.get(sizes.size() - 1);
        try (ObjectReads from = ObjectReads.over(lane(), largest)) {
            if (connect(stream, from) && learnPlaces(stream, places)) {
                askAll(stream, from);
            }
        }
    }

    private void askAll(DirectStream stream, @Nullable ObjectReads from) {
        Wanted wanted = new Wanted(from);
        boolean going = ask(wanted, () -> wanted.exchange(stream));
        if (going && (reads == 0 || sendReads(stream)) && first && !isStopping()) {
            requestState(stream);
        }
    }

    /** Random objects of each size. */
    private final class Wanted extends Questions {
        private final @Nullable ObjectReads from;
        private int round;
        private int number;
        private int requestBytes;

        /** @param from null if values are sent in messages */
        Wanted(@Nullable ObjectReads from) {
            super(client.rounds());
            this.from = from;
        }

        @Override
        protected void make(int ofRound, ByteBuffer request) {
            round = ofRound;
            number = ThreadLocalRandom.current().nextInt(objects[ofRound]);
            if (from != null) {
                return;
            }
            int size = sizes.get(round);
            requestBytes = ObjectFrame.HEADER_BYTES + keyBytes;
            ObjectContent.putKey(request, ObjectFrame.HEADER_BYTES, keyBytes, size, number);
            if (writing) {
                version++;
                ObjectContent.putValue(request, requestBytes, size, number, version);
                requestBytes += size;
            }
            ObjectFrame.putHead(
                    request, writing ? ObjectFrame.WRITE : ObjectFrame.READ, writing ? size : 0, writing ? version : 0);
        }

        /** With a message and its answer, or with this host's device, which the server does not notice. */
        boolean exchange(DirectStream stream) {
            if (from == null) {
                return send(stream, requestBytes) && receiveAnswer(stream);
            }
            ObjectPlaces where = Objects.requireNonNull(places);
            from.read(where.part(round, number), where.at(round, number), super.answerBytes());
            return true;
        }

        @Override
        protected void check() {
            int size = super.answerBytes();
            if (from == null) {
                ObjectsAskingLane.this.check(size, number);
            } else if (ObjectContent.isValue(
                    from.bytes(),
                    0,
                    size,
                    number,
                    Objects.requireNonNull(places).version(round, number))) {
                reads++;
                readBytes += size;
            } else {
                throw Cause.INTEGRITY.failure(
                        "object " + number + " of " + size + " bytes was read with content that was never written");
            }
        }

        @Override
        public int requestBytes() {
            return requestBytes;
        }

        @Override
        public int answerBytes() {
            return from == null ? arrivedBytes() : super.answerBytes();
        }
    }

    /** Receives exactly one answer; false if the lane is to end. */
    private boolean receiveAnswer(DirectStream stream) {
        int most = frame().capacity() - ObjectFrame.HEADER_BYTES;
        return receiveMessage(stream, ObjectFrame.HEADER_BYTES, ObjectFrame.LENGTH, most) >= 0;
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
        client.setState(new JsonObject()
                .with("objects_held", frame().getLong(at))
                .with("objects_kept", frame().getLong(at + 8))
                .with("log_records", frame().getLong(at + 16))
                .with("log_flushes", frame().getLong(at + 24)));
        return true;
    }
}
