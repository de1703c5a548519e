package io.fdt.core.control;

import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.ControlMessage;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A link to a peer that the test plays. It records what is sent, and only the test ends it. */
final class RecordedLink implements MessageLink {
    final List<ControlMessage> messages = new CopyOnWriteArrayList<>();
    volatile @Nullable Handler handler;
    volatile boolean admitted;
    volatile boolean closed;
    volatile boolean paused;
    volatile @Nullable TransferException aborted;
    volatile long queuedBytes;

    /** Passes on a message of the peer. */
    void receive(ControlMessage message) {
        Objects.requireNonNull(handler).onMessage(ControlCodec.encode(message));
    }

    /** Everything has been sent, or the peer is gone. */
    void end() {
        Objects.requireNonNull(handler).onClosed(null);
    }

    @Override
    public void start(Handler first) {
        handler = first;
    }

    @Override
    public void send(byte[] message) {
        messages.add(ControlCodec.decode(message, peer()));
    }

    @Override
    public void pause() {
        paused = true;
    }

    @Override
    public void resume() {
        paused = false;
    }

    @Override
    public long queuedBytes() {
        return queuedBytes;
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public void abort(TransferException cause) {
        aborted = cause;
    }

    @Override
    public void admitted() {
        admitted = true;
    }

    @Override
    public String peer() {
        return "peer";
    }

    @Override
    public String description() {
        return "a test";
    }
}
