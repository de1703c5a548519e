package io.fdt.monitor;

import io.fdt.core.Clock;
import io.fdt.core.HostView;
import io.fdt.core.host.Host;
import io.fdt.core.stats.PeerHost;
import io.fdt.monitor.Sample.LaneState;
import io.fdt.monitor.Sample.PeerView;
import io.fdt.monitor.Sample.QueueRate;
import io.fdt.monitor.Sample.SessionState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes a sample every second on its own thread, {@code fdt-monitor}, and gives it to its listeners. Nobody else reads
 * {@code /proc}: a scrape shows what the last sample saw.
 */
final class Sampler implements AutoCloseable {
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double NANOS = 1e9;
    private static final long JOIN_MS = 2_000;

    /** Hosts at the other ends that are shown; what one more says is left out. */
    static final int MAX_PEERS = 16;

    private final HostSource source;
    private final SessionTable sessions;
    private final List<SampleListener> listeners;
    private final Consumer<Double> sampleSeconds;
    private final String role;
    private final boolean asksPeers;
    private final Clock clock;
    private final LongSupplier epochMs;
    private final ProcessTime processTime = new ProcessTime();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;
    private volatile Host host;
    private volatile List<Figure> told = List.of();
    private @Nullable HostFigures last;
    private long lastNanos;

    /**
     * @param sampleSeconds is told how long each sample took
     * @param asksPeers whether the other ends of sessions are to tell of their hosts
     * @param epochMs the time of day
     */
    Sampler(
            HostSource source,
            SessionTable sessions,
            List<SampleListener> listeners,
            Consumer<Double> sampleSeconds,
            String role,
            boolean asksPeers,
            Clock clock,
            LongSupplier epochMs) {
        this.source = source;
        this.sessions = sessions;
        this.listeners = List.copyOf(listeners);
        this.sampleSeconds = sampleSeconds;
        this.role = role;
        this.asksPeers = asksPeers;
        this.clock = clock;
        this.epochMs = epochMs;
        this.host = source.host();
        this.thread = new Thread(this::run, "fdt-monitor");
        this.thread.setDaemon(true);
    }

    /** After a first {@link #takeSample}. */
    void start() {
        thread.start();
    }

    /** These figures are part of every sample from now on. Any thread. */
    void tell(List<Figure> figures) {
        told = List.copyOf(figures);
    }

    /** What the host is. Any thread. */
    Host host() {
        return host;
    }

    private void run() {
        long due = clock.nanoTime() + PERIOD_NANOS;
        while (!isClosing(Math.max(0, due - clock.nanoTime()))) {
            takeSample();
            // On a host that was suspended, or is much too busy, samples that were missed are missed.
            due = Math.max(due + PERIOD_NANOS, clock.nanoTime());
        }
        takeSample();
        listeners.forEach(SampleListener::onEnd);
        source.close();
    }

    private boolean isClosing(long waitNanos) {
        try {
            return closing.await(waitNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    /** On the sampler's thread, and before that is started on whose it is. */
    void takeSample() {
        long now = clock.nanoTime();
        HostFigures figures = source.read();
        host = source.host();
        sessions.refresh(now);
        boolean first = last == null;
        HostFigures before = last == null ? figures : last;
        double seconds = first ? 0 : (now - lastNanos) / NANOS;
        last = figures;
        lastNanos = now;
        List<QueueRate> queues = HostRates.queues(before, figures, seconds);
        List<SessionState> states = new ArrayList<>();
        List<LaneState> lanes = new ArrayList<>();
        for (ObservedSession session : sessions.observed()) {
            if (session.activity().work() != null) {
                states.add(session.state(seconds));
                if (lanes.size() < SessionTable.MAX_LANES) {
                    lanes.addAll(session.lanes(seconds, core -> queueOf(core, queues)));
                }
            }
        }
        FigureList list = new FigureList();
        list.addHost(figures);
        list.addSessions(sessions);
        list.add(Meter.PROCESS_CPU_SECONDS, processTime.seconds());
        list.figures().addAll(told);
        Sample sample = new Sample(
                epochMs.getAsLong(),
                role,
                host.name(),
                HostRates.cores(before, figures),
                HostRates.nics(before, figures, seconds),
                queues,
                states,
                lanes,
                asksPeers ? peers() : Map.of());
        for (SampleListener listener : listeners) {
            if (first) {
                listener.onFirstFigures(list.figures());
            } else {
                listener.onSample(sample, list.figures());
            }
        }
        sampleSeconds.accept((clock.nanoTime() - now) / NANOS);
    }

    private Map<String, PeerView> peers() {
        Map<String, PeerView> peers = new LinkedHashMap<>();
        for (ObservedSession session : sessions.observed()) {
            if (peers.size() < MAX_PEERS && !session.activity().isEnded()) {
                PeerHost other = session.activity().peerHost();
                other.ask();
                HostView view = other.view();
                if (view != null) {
                    peers.put(session.shortName(), HostViews.heard(view));
                }
            }
        }
        return peers;
    }

    /** The queue whose interrupts the core takes, if there is exactly one such. */
    private static @Nullable String queueOf(int core, List<QueueRate> queues) {
        String found = null;
        for (QueueRate queue : queues) {
            if (core >= 0 && queue.core() == core && !queue.queue().startsWith("tx-")) {
                if (found != null) {
                    return null;
                }
                found = queue.nic() + ":" + queue.queue();
            }
        }
        return found;
    }

    /** Takes a last sample, and lets the listeners end. */
    @Override
    public void close() {
        closing.countDown();
        try {
            thread.join(JOIN_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
