package io.fdt.core.nettest;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.objects.ObjectStore;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Answers the requests of one lane until the client ends it. What fails is answered, too, so that the client knows why. */
final class ObjectsServingLane extends ObjectsLane {
    private final ObjectsServer server;
    private final int keyBytes;
    private final int mostValueBytes;
    private final ByteBuffer key;
    private final ByteBuffer value;

    ObjectsServingLane(Lane lane, LaneEnd end, ObjectsServer server) {
        super(lane, end, ObjectFrame.mostBytes(server.keyBytes(), server.sizes()));
        this.server = server;
        this.keyBytes = server.keyBytes();
        this.mostValueBytes = server.sizes()[server.sizes().length - 1];
        this.key = frame().duplicate();
        this.value = frame().duplicate();
    }

    @Override
    void run(DirectStream stream) {
        int headBytes = ObjectFrame.HEADER_BYTES + keyBytes;
        while (receive(stream, headBytes)) {
            int length = frame().getInt(ObjectFrame.LENGTH);
            if (length < 0 || length > mostValueBytes) {
                throw misfit("a value of " + length + " bytes");
            }
            int requestBytes = headBytes + length;
            if (!receive(stream, requestBytes)) {
                break;
            }
            if (arrivedBytes() != requestBytes) {
                throw misfit("a request before the answer to the one before");
            }
            int answerBytes = ObjectFrame.HEADER_BYTES + answer(length);
            if (!send(stream, answerBytes)) {
                break;
            }
            count((long) requestBytes + answerBytes);
        }
        if (arrivedBytes() > 0) {
            throw new TransferException(
                    FailureKind.CONNECTION_LOST, lane().peer() + " ended in the middle of a request");
        }
    }

    /** Does what was asked and makes the answer; the length of its value. */
    private int answer(int length) {
        int valueIndex = ObjectFrame.HEADER_BYTES + keyBytes;
        key.limit(valueIndex).position(ObjectFrame.HEADER_BYTES);
        try {
            switch (frame().get(0)) {
                case ObjectFrame.READ -> {
                    // Over the key, which the store has compared by the time that it copies.
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
                case ObjectFrame.STATE -> {
                    server.putState(frame(), ObjectFrame.HEADER_BYTES);
                    return head(ObjectFrame.DONE, 0, ObjectFrame.STATE_BYTES);
                }
                default -> throw misfit("a request of an unknown kind");
            }
        } catch (TransferException failed) {
            byte[] text = String.valueOf(failed.getMessage()).getBytes(StandardCharsets.UTF_8);
            int textBytes = Math.min(text.length, ObjectFrame.MAX_MESSAGE_BYTES);
            frame().put(ObjectFrame.HEADER_BYTES, text, 0, textBytes);
            return head(ObjectFrame.FAILED, failed.kind().exitCode(), textBytes);
        }
    }

    private int head(byte how, long version, int length) {
        frame().putInt(0, how << 24).putInt(ObjectFrame.LENGTH, length).putLong(ObjectFrame.VERSION, version);
        return length;
    }
}
