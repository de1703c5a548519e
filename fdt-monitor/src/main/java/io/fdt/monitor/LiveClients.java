package io.fdt.monitor;

import io.fdt.core.framedlog.Frame;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.SampleListener;
import io.fdt.monitor.http.EventStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The live watchers, which receive server-sent events, or a recording with only complete samples. A watcher that reads
 * too slowly loses samples without affecting others.
 */
final class LiveClients implements SampleListener {
    static final int MAX_CLIENTS = 16;
    private static final byte[] END = {'\n', '\n'};

    private final History history;
    private final Set<EventStream> streams = ConcurrentHashMap.newKeySet();
    private final Set<EventStream> recordings = ConcurrentHashMap.newKeySet();
    private final Semaphore places = new Semaphore(MAX_CLIENTS);
    private final AtomicLong ids = new AtomicLong();
    private volatile boolean ended;

    /** @param history keeps the samples for watchers that connect later */
    LiveClients(History history) {
        this.history = history;
    }

    @Override
    public void onSample(Sample sample, List<Figure> figures) {
        byte[] json = SampleJson.of(sample);
        history.add(json);
        publish(json);
        if (!recordings.isEmpty()) {
            byte[] frame = Frame.of(new RecordingFormat.Encoder().encode(sample));
            recordings.forEach(stream -> stream.send(frame));
        }
    }

    private void publish(byte[] json) {
        if (streams.isEmpty()) {
            return;
        }
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
        recordings.forEach(EventStream::end);
    }

    /**
     * Takes a place; returns false if all are taken. A caller that got one must call {@link #serve} or {@link #record}.
     */
    boolean enter() {
        return places.tryAcquire();
    }

    /** Serves a watcher until it disconnects or the samples end. */
    void serve(EventStream stream) {
        serve(stream, streams, "retry: 2000\n\n".getBytes(StandardCharsets.UTF_8));
    }

    /** Serves a watcher that receives a recording, of a host with these facts. */
    void record(EventStream stream, byte[] facts) {
        stream.send(RecordingFormat.HEAD);
        serve(stream, recordings, Frame.of(RecordingFormat.facts(facts)));
    }

    private void serve(EventStream stream, Set<EventStream> to, byte[] head) {
        stream.send(head);
        to.add(stream);
        stream.whenClosed(() -> {
            to.remove(stream);
            places.release();
        });
        if (ended) {
            stream.end();
        }
    }
}
