package io.fdt.core.nettest.objects;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nettest.CopyingLane;
import io.fdt.core.objects.ObjectPlace;
import io.fdt.core.objects.ObjectStore;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.SessionMessage;
import java.nio.ByteBuffer;

/** Answers the requests of one lane until the client ends it. The answer to a failed request contains the reason. */
final class ObjectsServingLane extends CopyingLane {
    private final ObjectsServer server;
    private final int keyBytes;
    private final int mostValueBytes;
    private final ByteBuffer key;
    private final ByteBuffer value;
    private final ByteBuffer wanted;

    ObjectsServingLane(Lane lane, ObjectsServer server) {
        super(lane, server.frameBytes(), server.frameBytes(), ObjectFrame.NEED);
        this.server = server;
        this.keyBytes = server.keyBytes();
        this.mostValueBytes = Math.max(ObjectFrame.MAX_OTHER_BYTES, server.largestBytes());
        this.key = frame().duplicate();
        this.value = frame().duplicate();
        this.wanted = ByteBuffer.allocateDirect(keyBytes);
    }

    @Override
    protected void run(DirectStream stream) {
        int headBytes = ObjectFrame.HEADER_BYTES + keyBytes;
        while (true) {
            int length = receiveMessage(stream, headBytes, ObjectFrame.LENGTH, mostValueBytes);
            if (length < 0) {
                break;
            }
            int answerBytes = ObjectFrame.HEADER_BYTES + answer(length);
            if (!send(stream, answerBytes)) {
                break;
            }
            count((long) headBytes + length + answerBytes);
        }
        requireNothingArrived();
    }

    /** Carries out the request and creates the answer; returns the length of its value. */
    private int answer(int length) {
        int valueIndex = ObjectFrame.HEADER_BYTES + keyBytes;
        key.limit(valueIndex).position(ObjectFrame.HEADER_BYTES);
        try {
            switch (frame().get(0)) {
                case ObjectFrame.READ -> {
                    // Overwrites the key, which the store has compared before it copies.
                    value.clear().position(ObjectFrame.HEADER_BYTES);
                    long version = server.store().read(key, value);
                    boolean absent = version == ObjectStore.ABSENT;
                    int read = value.position() - ObjectFrame.HEADER_BYTES;
                    return head(absent ? ObjectFrame.ABSENT : ObjectFrame.DONE, absent ? 0 : version, read);
                }
                case ObjectFrame.WRITE -> {
                    value.limit(valueIndex + length).position(valueIndex);
                    long version = Math.max(0, frame().getLong(ObjectFrame.VERSION));
                    server.store().await(server.store().write(key, value, version));
                    return head(ObjectFrame.DONE, version, 0);
                }
                case ObjectFrame.CONNECT -> {
                    byte[] address = new byte[Math.min(length, ObjectFrame.MAX_OTHER_BYTES)];
                    frame().get(valueIndex, address);
                    value.clear().position(ObjectFrame.HEADER_BYTES);
                    server.grants().connect(lane(), address, value);
                    return head(ObjectFrame.DONE, 0, value.position() - ObjectFrame.HEADER_BYTES);
                }
                case ObjectFrame.PLACES -> {
                    return head(ObjectFrame.DONE, 0, putPlaces());
                }
                case ObjectFrame.HAVE_READ -> {
                    long reads = frame().getLong(ObjectFrame.VERSION);
                    long bytes = length == Long.BYTES ? frame().getLong(valueIndex) : -1;
                    if (reads < 0 || bytes < 0) {
                        throw misfit("an invalid number of reads");
                    }
                    countMany(reads, bytes);
                    return head(ObjectFrame.DONE, 0, 0);
                }
                case ObjectFrame.STATE -> {
                    server.putState(frame(), ObjectFrame.HEADER_BYTES);
                    return head(ObjectFrame.DONE, 0, ObjectFrame.STATE_BYTES);
                }
                default -> throw misfit("a request of an unknown kind");
            }
        } catch (TransferException failed) {
            byte[] why = ControlCodec.encode(new SessionMessage.Failed(failed.failure()));
            frame().put(ObjectFrame.HEADER_BYTES, why);
            return head(ObjectFrame.FAILED, 0, why.length);
        }
    }

    /** Writes the places of objects from the key's on, as many as were requested and fit; returns their bytes. */
    private int putPlaces() {
        int size = frame().getInt(ObjectFrame.HEADER_BYTES);
        int number = frame().getInt(ObjectFrame.HEADER_BYTES + Integer.BYTES);
        long asked = frame().getLong(ObjectFrame.VERSION);
        int objects = server.objectsOf(size);
        if (number < 0 || asked < 1 || asked > objects - number) {
            throw misfit("a request for objects that are not part of the test");
        }
        int fit = (frame().capacity() - ObjectFrame.HEADER_BYTES) / ObjectFrame.PLACE_BYTES;
        int count = (int) Math.min(asked, fit);
        int at = ObjectFrame.HEADER_BYTES;
        for (int index = number; index < number + count; index++) {
            ObjectContent.putKey(wanted, 0, keyBytes, size, index);
            ObjectPlace place = server.store().place(wanted.clear());
            if (place == null) {
                throw Cause.INTEGRITY.failure("the server has lost object " + index + " of " + size + " bytes");
            }
            frame().putInt(at, place.part()).putInt(at + 4, place.at()).putLong(at + 8, place.version());
            at += ObjectFrame.PLACE_BYTES;
        }
        return at - ObjectFrame.HEADER_BYTES;
    }

    private int head(byte how, long version, int length) {
        ObjectFrame.putHead(frame(), how, length, version);
        return length;
    }
}
