package io.fdt.core.nettest.load;

import io.fdt.core.nettest.CopyingLane;
import io.fdt.core.nettest.LaneBytes;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import java.nio.ByteBuffer;

/**
 * Answers requests in order, until the client ends the lane. A receive call takes at most as many as there are receive
 * buffers, which are held until all of them have been answered. A send call takes as many answers as there are send
 * buffers, and returns when the kernel has accepted them.
 */
final class LoadServingLane extends CopyingLane {
    static final String NEED = "the network test load needs clear lanes over TCP at both ends; leave out --tls";

    private final int sizeBytes;
    private final boolean polling;
    private final LaneBytes tx = new LaneBytes(LoadSuite.MAX_POOL_BYTES);
    private final Polls polls = new Polls();
    private int rxBuffers = 1;
    private int txBuffers = 1;
    private long idleNanos;
    private long turnedNanos;

    LoadServingLane(Lane lane, int sizeBytes, boolean polling) {
        // The first turn may arrive before the start; nothing else arrives before its answer.
        super(lane, LoadSuite.MAX_POOL_BYTES, sizeBytes, NEED);
        this.sizeBytes = sizeBytes;
        this.polling = polling;
    }

    /** What a lane allocates: buffers of both kinds. */
    static long memoryBytes() {
        return 2 * LaneBytes.allocated(LoadSuite.MAX_POOL_BYTES);
    }

    @Override
    protected void run(DirectStream stream) {
        turnedNanos = System.nanoTime();
        boolean going = arrivedBytes() < sizeBytes || answerArrived(stream, false);
        while (going) {
            int arrived = arrivedBytes();
            int room = rxBuffers * sizeBytes - arrived;
            long from = System.nanoTime();
            int came = stream.receiveNow(address() + arrived, room);
            if (came == 0) {
                came = polling ? 0 : stream.receive(address() + arrived, room);
                Thread.onSpinWait();
                idleNanos += System.nanoTime() - from;
            }
            if (came == DirectStream.END) {
                break;
            }
            setArrivedBytes(arrived + came);
            going = arrived + came < sizeBytes || answerArrived(stream, came == room);
        }
        requireNothingArrived();
    }

    /** Answers every complete request that has arrived; false if the lane is to end. */
    private boolean answerArrived(DirectStream stream, boolean full) {
        int arrived = arrivedBytes();
        int requests = arrived / sizeBytes;
        int usedBytes = requests * sizeBytes;
        boolean sent;
        if (LoadFrame.kind(frame(), 0) == LoadFrame.TURN) {
            if (arrived != sizeBytes) {
                throw misfit("a change of pools while requests were in flight");
            }
            sent = answerTurn(stream);
        } else {
            polls.onPoll(requests, full);
            polls.add(Polls.SPLITS, requests > txBuffers ? 1 : 0);
            sent = answer(stream, requests);
        }
        count(2L * usedBytes);
        frame().put(0, frame(), usedBytes, arrived - usedBytes);
        setArrivedBytes(arrived - usedBytes);
        return sent;
    }

    private boolean answer(DirectStream stream, int requests) {
        int answered = 0;
        while (answered < requests) {
            int together = Math.min(txBuffers, requests - answered);
            for (int each = 0; each < together; each++) {
                int from = (answered + each) * sizeBytes;
                if (LoadFrame.kind(frame(), from) != LoadFrame.REQUEST) {
                    throw misfit("a request of an unknown kind");
                }
                tx.buffer().putLong(each * sizeBytes, frame().getLong(from));
            }
            if (!sendAll(stream, tx.address(), together * sizeBytes)) {
                return false;
            }
            answered += together;
        }
        return true;
    }

    private boolean answerTurn(DirectStream stream) {
        ByteBuffer asked = frame();
        int nextRx = asked.getInt(LoadFrame.RX_BUFFERS);
        int nextTx = asked.getInt(LoadFrame.TX_BUFFERS);
        if (!LoadFrame.isPool(nextRx, sizeBytes) || !LoadFrame.isPool(nextTx, sizeBytes)) {
            throw misfit("a change to pools of " + nextRx + " receive buffers and " + nextTx + " send buffers");
        }
        long elapsed = System.nanoTime() - turnedNanos;
        LoadFrame.putHead(tx.buffer(), 0, LoadFrame.TURN, LoadFrame.number(asked, 0));
        polls.add(Polls.BUSY_NANOS, Math.max(0, elapsed - idleNanos));
        polls.add(Polls.ELAPSED_NANOS, elapsed);
        polls.putInto(tx.buffer(), LoadFrame.HEAD_BYTES);
        rxBuffers = nextRx;
        txBuffers = nextTx;
        polls.reset();
        idleNanos = 0;
        turnedNanos = System.nanoTime();
        return sendAll(stream, tx.address(), sizeBytes);
    }
}
