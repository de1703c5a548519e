package io.fdt.core.transport;

import io.fdt.core.failure.TransferException;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A handler for one end of a lane: it sends a seeded stream of bytes, checks that it receives the other end's stream,
 * and records every breach of the {@link LaneHandler} contract.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // The lane's thread is the only writer.
class TestHandler implements LaneHandler {
    final Lane lane;
    final CountDownLatch closed = new CountDownLatch(1);
    final CountDownLatch firstSendable = new CountDownLatch(1);
    final Queue<String> breaches = new ConcurrentLinkedQueue<>();
    volatile @Nullable TransferException cause;
    volatile @Nullable Thread thread;
    volatile long sentBytes;
    volatile long receivedBytes;
    volatile long droppedBytes;
    volatile int deliveries;
    volatile int sendableCalls;
    volatile boolean refused;

    /** The size of the next block to send, up to the lane's capacity. */
    IntSupplier sendSize;

    IntSupplier wanted = () -> 1;

    /** How many of the ready bytes to take. */
    Take take = (ready, wantedBytes) -> ready;

    private final AtomicBoolean inside = new AtomicBoolean();
    private final SplittableRandom outgoing;
    private final SplittableRandom expected;
    private final long totalBytes;
    private int lastWanted = 1;
    private boolean ended;

    interface Take {
        int of(int ready, int wantedBytes);
    }

    TestHandler(Lane lane, long outSeed, long totalBytes, long inSeed) {
        this.lane = lane;
        this.outgoing = new SplittableRandom(outSeed);
        this.expected = new SplittableRandom(inSeed);
        this.totalBytes = totalBytes;
        this.sendSize = lane::blockBytes;
    }

    static TestHandler receiver(Lane lane, long inSeed) {
        return new TestHandler(lane, 0, 0, inSeed);
    }

    static TestHandler sender(Lane lane, long outSeed, long totalBytes) {
        return new TestHandler(lane, outSeed, totalBytes, 0);
    }

    boolean sentAll() {
        return sentBytes == totalBytes;
    }

    @Override
    public int wantedBytes() {
        check("wantedBytes");
        lastWanted = wanted.getAsInt();
        return lastWanted;
    }

    @Override
    public void onReceived(Block block) {
        enter("onReceived");
        ByteBuffer buffer = block.buffer();
        int ready = buffer.remaining();
        int taken = take.of(ready, lastWanted);
        for (int index = 0; index < taken; index++) {
            byte actual = buffer.get();
            if (actual != (byte) expected.nextInt()) {
                breaches.add("byte " + (receivedBytes + index) + " is not what was sent");
                break;
            }
        }
        receivedBytes += taken;
        deliveries++;
        inside.set(false);
    }

    /** Skips the expected bytes that the lane dropped. */
    void onDropped(long bytes) {
        for (long dropped = 0; dropped < bytes; dropped++) {
            var unused = expected.nextInt();
        }
        droppedBytes += bytes;
    }

    @Override
    public void onSendable() {
        enter("onSendable");
        sendableCalls++;
        firstSendable.countDown();
        sendMore();
        inside.set(false);
    }

    void sendMore() {
        while (sentBytes < totalBytes) {
            Block block = lane.acquire();
            if (block == null) {
                refused = true;
                return;
            }
            ByteBuffer buffer = block.buffer();
            if (buffer.position() != 0 || buffer.limit() != buffer.capacity()) {
                breaches.add("an acquired block is not clear: " + buffer);
            }
            int count = (int) Math.min(Math.min(sendSize.getAsInt(), buffer.remaining()), totalBytes - sentBytes);
            for (int index = 0; index < count; index++) {
                buffer.put((byte) outgoing.nextInt());
            }
            buffer.flip();
            lane.send(block);
            sentBytes += count;
        }
    }

    @Override
    public void onClosed(@Nullable TransferException why) {
        enter("onClosed");
        ended = true;
        cause = why;
        inside.set(false);
        closed.countDown();
    }

    private void enter(String call) {
        check(call);
        if (!inside.compareAndSet(false, true)) {
            breaches.add(call + " within another call");
        }
    }

    private void check(String call) {
        Thread now = Thread.currentThread();
        if (thread == null) {
            thread = now;
        } else if (thread != now) {
            breaches.add(call + " on " + now.getName() + ", not on " + thread);
        }
        if (ended) {
            breaches.add(call + " after onClosed");
        }
    }
}
