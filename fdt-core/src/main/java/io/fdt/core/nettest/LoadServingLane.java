package io.fdt.core.nettest;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.nettest.LoadFrame.Turn;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import java.nio.ByteBuffer;

/**
 * Answers requests in the order in which they come, until the client ends the lane. A receive call takes as many as
 * there are receive buffers, at most; they are held until all of them have been answered. A call that sends takes as
 * many answers as there are send buffers, and returns when the kernel has them.
 */
final class LoadServingLane extends MeasuredLane {
    private final int sizeBytes;
    private final boolean polling;
    private final LaneBytes rx = LaneBytes.ofBytes(LoadFrame.MOST_POOL_BYTES);
    private final LaneBytes tx = LaneBytes.ofBytes(LoadFrame.MOST_POOL_BYTES);
    private final Polls polls = new Polls();
    private int rxBuffers = 1;
    private int txBuffers = 1;
    private int arrivedBytes;
    private long splits;
    private long idleNanos;
    private long turnedNanos;

    LoadServingLane(Lane lane, LaneEnd end, int sizeBytes, boolean polling) {
        super(lane, end);
        this.sizeBytes = sizeBytes;
        this.polling = polling;
    }

    static TransferException needsDirectLanes() {
        return new TransferException(
                FailureKind.USAGE,
                "the network test load needs clear lanes over epoll at both ends; leave out --tls and --io");
    }

    @Override
    void onBegin() {
        DirectStream stream = lane().takeOverByCopying();
        if (stream == null) {
            throw needsDirectLanes();
        }
        goesDirectly();
        try (stream) {
            serve(stream);
        }
        sample();
        lane().close();
    }

    private void serve(DirectStream stream) {
        turnedNanos = System.nanoTime();
        boolean going = arrivedBytes < sizeBytes || answerArrived(stream, false);
        while (going) {
            int room = rxBuffers * sizeBytes - arrivedBytes;
            long from = System.nanoTime();
            int came = stream.receiveNow(rx.address() + arrivedBytes, room);
            if (came == 0) {
                came = polling ? 0 : stream.receive(rx.address() + arrivedBytes, room);
                Thread.onSpinWait();
                idleNanos += System.nanoTime() - from;
            }
            if (came == DirectStream.END) {
                break;
            }
            arrivedBytes += came;
            going = arrivedBytes < sizeBytes || answerArrived(stream, came == room);
        }
        if (arrivedBytes > 0) {
            throw new TransferException(
                    FailureKind.CONNECTION_LOST, lane().peer() + " ended in the middle of a request");
        }
    }

    /** Answers every whole request that has arrived; false when the lane is to end. */
    private boolean answerArrived(DirectStream stream, boolean full) {
        int requests = arrivedBytes / sizeBytes;
        int usedBytes = requests * sizeBytes;
        boolean sent;
        if (LoadFrame.kind(rx.buffer(), 0) == LoadFrame.TURN) {
            if (arrivedBytes != sizeBytes) {
                throw misfit("a turn while requests were in flight");
            }
            sent = answerTurn(stream);
        } else {
            polls.onPoll(requests, full);
            splits += requests > txBuffers ? 1 : 0;
            sent = answer(stream, requests);
        }
        count(2L * usedBytes);
        arrivedBytes -= usedBytes;
        rx.buffer().put(0, rx.buffer(), usedBytes, arrivedBytes);
        return sent;
    }

    private boolean answer(DirectStream stream, int requests) {
        int answered = 0;
        while (answered < requests) {
            int together = Math.min(txBuffers, requests - answered);
            for (int each = 0; each < together; each++) {
                int from = (answered + each) * sizeBytes;
                if (LoadFrame.kind(rx.buffer(), from) != LoadFrame.REQUEST) {
                    throw misfit("a request of an unknown kind");
                }
                tx.buffer().putLong(each * sizeBytes, rx.buffer().getLong(from));
            }
            if (!send(stream, together * sizeBytes)) {
                return false;
            }
            answered += together;
        }
        return true;
    }

    private boolean answerTurn(DirectStream stream) {
        ByteBuffer asked = rx.buffer();
        int nextRx = asked.getInt(LoadFrame.RX_BUFFERS);
        int nextTx = asked.getInt(LoadFrame.TX_BUFFERS);
        if (!LoadFrame.isPool(nextRx, sizeBytes) || !LoadFrame.isPool(nextTx, sizeBytes)) {
            throw misfit("a turn to " + nextRx + " receive buffers and " + nextTx + " send buffers");
        }
        long elapsed = System.nanoTime() - turnedNanos;
        LoadFrame.putHead(tx.buffer(), 0, LoadFrame.TURN, LoadFrame.number(asked, 0));
        new Turn(
                        polls.messages(),
                        polls.polls(),
                        polls.fullPolls(),
                        polls.most(),
                        splits,
                        Math.max(0, elapsed - idleNanos),
                        elapsed)
                .putInto(tx.buffer(), 0);
        rxBuffers = nextRx;
        txBuffers = nextTx;
        polls.reset();
        splits = 0;
        idleNanos = 0;
        turnedNanos = System.nanoTime();
        return send(stream, sizeBytes);
    }

    private boolean send(DirectStream stream, int lengthBytes) {
        int at = 0;
        while (at < lengthBytes) {
            int sent = stream.send(tx.address() + at, lengthBytes - at);
            if (sent == DirectStream.END) {
                return false;
            }
            at += sent;
        }
        return true;
    }

    private TransferException misfit(String what) {
        return new TransferException(FailureKind.VERSION, lane().peer() + " sent " + what);
    }

    @Override
    public int wantedBytes() {
        return 1;
    }

    /** The first turn, which may come before the word to begin; nothing else comes before its answer. */
    @Override
    public void onReceived(Block block) {
        ByteBuffer came = block.buffer();
        if (came.remaining() > sizeBytes - arrivedBytes) {
            throw misfit("a request before the answer to its turn");
        }
        rx.buffer().put(arrivedBytes, came, came.position(), came.remaining());
        arrivedBytes += came.remaining();
        came.position(came.limit());
    }

    @Override
    public void onSendable() {}
}
