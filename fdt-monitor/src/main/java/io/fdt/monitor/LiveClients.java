package io.fdt.monitor;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Who watches live, by server-sent events. Each watcher has a short queue of its own; who reads too slowly loses the oldest
 * samples, and nobody else notices.
 */
final class LiveClients implements SampleListener {
    static final int MAX_CLIENTS = 16;

    private static final int QUEUED_EVENTS = 8;
    private static final long KEEP_ALIVE_SECONDS = 15;
    private static final byte[] END = new byte[0];

    private final Set<ArrayBlockingQueue<byte[]>> queues = ConcurrentHashMap.newKeySet();
    private final Semaphore places = new Semaphore(MAX_CLIENTS);
    private final AtomicLong ids = new AtomicLong();
    private volatile boolean ended;

    @Override
    public void onSample(Sample sample, List<Figure> figures) {
        publish(SampleJson.of(sample));
    }

    /** Any one thread. */
    void publish(byte[] json) {
        byte[] head = ("event: sample\nid: " + ids.incrementAndGet() + "\ndata: ").getBytes(StandardCharsets.UTF_8);
        byte[] event = new byte[head.length + json.length + 2];
        System.arraycopy(head, 0, event, 0, head.length);
        System.arraycopy(json, 0, event, head.length, json.length);
        event[event.length - 2] = '\n';
        event[event.length - 1] = '\n';
        queues.forEach(queue -> give(queue, event));
    }

    private static void give(ArrayBlockingQueue<byte[]> queue, byte[] event) {
        while (!queue.offer(event)) {
            queue.poll();
        }
    }

    @Override
    public void onEnd() {
        ended = true;
        queues.forEach(queue -> give(queue, END));
    }

    /** Takes a place; false when all are taken. Who got one must {@link #serve}. */
    boolean enter() {
        return places.tryAcquire();
    }

    /** Gives the place back without having been served. */
    void leave() {
        places.release();
    }

    /** Serves one watcher on the calling thread until it goes, or there is nothing more to come. */
    void serve(OutputStream out) {
        ArrayBlockingQueue<byte[]> queue = new ArrayBlockingQueue<>(QUEUED_EVENTS);
        queues.add(queue);
        try {
            out.write("retry: 2000\n\n".getBytes(StandardCharsets.UTF_8));
            out.flush();
            while (!ended) {
                byte[] event = queue.poll(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS);
                out.write(event == null ? ": still here\n\n".getBytes(StandardCharsets.UTF_8) : event);
                out.flush();
            }
        } catch (IOException watcherGone) {
            // It comes back by itself if it wants to.
            queue.clear();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            queues.remove(queue);
            places.release();
        }
    }
}
