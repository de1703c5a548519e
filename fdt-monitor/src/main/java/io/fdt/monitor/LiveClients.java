package io.fdt.monitor;

import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.SampleListener;
import io.fdt.monitor.http.EventStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The live watchers, which receive server-sent events. A watcher that reads too slowly loses samples without affecting
 * others.
 */
final class LiveClients implements SampleListener {
    static final int MAX_CLIENTS = 16;
    private static final byte[] END = {'\n', '\n'};

    private final History history;
    /** The one that has watched longest first. */
    private final Queue<EventStream> streams = new ConcurrentLinkedQueue<>();

    private final AtomicLong ids = new AtomicLong();
    private volatile boolean ended;

    /** @param history keeps the samples for watchers that connect later */
    LiveClients(History history) {
        this.history = history;
    }

    @Override
    public void onSample(Sample sample, List<Figure> figures) {
        if (isWatched()) {
            byte[] json = SampleJson.of(sample);
            history.add(json);
            publish(json);
        } else {
            history.add(sample);
        }
    }

    @Override
    public boolean isWatched() {
        return !streams.isEmpty();
    }

    private void publish(byte[] json) {
        byte[] head = ("event: sample\nid: " + ids.incrementAndGet() + "\ndata: ").getBytes(StandardCharsets.UTF_8);
        byte[] event = ByteBuffer.allocate(head.length + json.length + END.length)
                .put(head)
                .put(json)
                .put(END)
                .array();
        streams.forEach(stream -> stream.send(event));
    }

    @Override
    public void onEnd() {
        ended = true;
        streams.forEach(EventStream::end);
    }

    /**
     * Serves a watcher until it disconnects, the samples end, or its place is needed: any user of this host can open
     * watchers, so with too many the one that has watched longest ends. A page connects again by itself.
     */
    void serve(EventStream stream) {
        stream.send("retry: 2000\n\n".getBytes(StandardCharsets.UTF_8));
        streams.add(stream);
        stream.whenClosed(() -> streams.remove(stream));
        while (streams.size() > MAX_CLIENTS) {
            EventStream longest = streams.poll();
            if (longest != null) {
                longest.end();
            }
        }
        if (ended) {
            stream.end();
        }
    }
}
