package io.fdt.monitor;

import com.sun.management.OperatingSystemMXBean;
import io.fdt.core.basic.Clock;
import io.fdt.core.basic.HostView;
import io.fdt.core.basic.Version;
import io.fdt.core.host.Host;
import io.fdt.core.run.SurvivedFailures;
import io.fdt.core.run.Threads;
import io.fdt.core.stats.ForeignLoad;
import io.fdt.core.stats.ForeignLoad.Ticks;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.PeerHost;
import io.fdt.monitor.HostFigures.CoreTicks;
import io.fdt.monitor.HostFigures.Mode;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.Sample.LaneState;
import io.fdt.monitor.figure.Sample.QueueRate;
import io.fdt.monitor.figure.Sample.SessionState;
import io.fdt.monitor.figure.SampleListener;
import java.lang.management.ManagementFactory;
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
 * Takes a sample every second on its own thread, {@code fdt-monitor}, and passes it to its listeners. No other thread
 * reads {@code /proc}: a scrape returns the last sample.
 */
final class Sampler implements AutoCloseable {
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double NANOS = 1e9;
    private static final long JOIN_MS = 2_000;

    static final int MAX_PEERS = 16;

    private final HostSource source;
    private final SessionTable sessions;
    private final List<SampleListener> listeners;
    private final boolean showsPeers;
    private final Clock clock;
    private final LongSupplier epochMs;
    private final @Nullable OperatingSystemMXBean system =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;
    private volatile Host host;
    private volatile List<Figure> told = List.of();
    private @Nullable HostFigures last;
    private @Nullable ProcessFigures process;
    private List<Figure> jvm = List.of();
    private long samples;
    private long lastNanos;
    private double sampleSeconds;
    private final SurvivedFailures failures;

    /**
     * @param showsPeers whether samples contain the activity of remote hosts
     * @param warnings receives a message for the first failed sample
     */
    Sampler(
            HostSource source,
            SessionTable sessions,
            List<SampleListener> listeners,
            boolean showsPeers,
            Consumer<String> warnings,
            Clock clock,
            LongSupplier epochMs) {
        this.source = source;
        this.sessions = sessions;
        this.listeners = List.copyOf(listeners);
        this.showsPeers = showsPeers;
        this.failures = new SurvivedFailures(
                mistake -> warnings.accept("the monitor could not take or publish a sample and continues: " + mistake));
        this.clock = clock;
        this.epochMs = epochMs;
        this.host = source.host();
        this.thread = Threads.daemon("fdt-monitor", this::run);
    }

    /** Starts the thread, after a first {@link #takeSample}. */
    void start() {
        Threads.start(thread);
    }

    /** Adds these figures to every sample from now on, in place of those of the last call. Any thread. */
    void tell(List<Figure> figures) {
        told = List.copyOf(figures);
    }

    /** Samples the disks of these roots from now on. Any thread. */
    void watch(List<ExportedRoot> roots) {
        source.watch(roots);
    }

    /** Returns the host as of the last sample. Any thread. */
    Host host() {
        return host;
    }

    private void run() {
        long due = clock.nanoTime() + PERIOD_NANOS;
        while (!isClosing(Math.max(0, due - clock.nanoTime()))) {
            long begun = clock.nanoTime();
            surviving(this::takeSample);
            // What was missed, because the host was suspended or overloaded, is not made up for, and the next sample is
            // not so soon that its rates mean nothing.
            due = Math.max(due + PERIOD_NANOS, begun + PERIOD_NANOS / 2);
        }
        surviving(this::takeSample);
        listeners.forEach(listener -> surviving(listener::onEnd));
        source.close();
    }

    /** A failure must not end the monitor: the next sample may succeed. */
    private void surviving(Runnable action) {
        var unused = failures.survives(action);
    }

    private boolean isClosing(long waitNanos) {
        try {
            return closing.await(waitNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    /** On the sampler's thread; before it is started, on the caller's. */
    void takeSample() {
        long now = clock.nanoTime();
        long nowMs = epochMs.getAsLong();
        HostFigures figures = source.read(isIdle());
        host = source.host();
        double processSeconds = system == null ? 0 : Math.max(0, system.getProcessCpuTime()) / NANOS;
        sessions.refresh(now, doOthersFillTheCores(figures, processSeconds));
        if (isLoopbackUsed()) {
            source.useLoopback();
        }
        boolean first = last == null;
        HostFigures before = last == null ? figures : last;
        double seconds = first ? 0 : (now - lastNanos) / NANOS;
        last = figures;
        lastNanos = now;
        List<QueueRate> queues = HostRates.queues(before, figures, seconds);
        List<SessionState> states = new ArrayList<>();
        List<LaneState> lanes = new ArrayList<>();
        for (ObservedSession session : sessions.observed()) {
            if (session.activity().state().work() != null) {
                states.add(session.state(seconds, now, nowMs));
                if (sessions.hasDetails(session)) {
                    lanes.addAll(session.lanes(seconds, (lane, core) -> queueOf(lane, core, queues)));
                }
            }
        }
        FigureList list = new FigureList();
        list.addHost(figures);
        list.addSessions(sessions);
        sessions.addTotals(list);
        if (sessions.role().equals("server")) {
            sessions.addRefused(list);
        }
        Map<String, HostView> peers = peers();
        list.addPeers(peers.values());
        list.addProcess(process(), processSeconds);
        list.figures().addAll(jvm);
        list.add(Meter.BUILD_INFO, 1, Version.number(), Runtime.version().toString(), sessions.role());
        if (!first) {
            list.add(Meter.MONITOR_SAMPLE_SECONDS, sampleSeconds);
        }
        list.figures().addAll(told);
        Sample sample = new Sample(
                nowMs,
                sessions.role(),
                HostRates.view(host.name(), before, figures, seconds),
                new Sample.Devices(queues, HostRates.roots(before, figures, seconds)),
                states,
                lanes,
                peers);
        for (SampleListener listener : listeners) {
            surviving(() -> {
                if (first) {
                    listener.onFirstFigures(list.figures());
                } else {
                    listener.onSample(sample, list.figures());
                }
            });
        }
        sampleSeconds = (clock.nanoTime() - now) / NANOS;
    }

    /**
     * Whether nobody sees the samples as they come, and no session runs or has just ended. A process of role
     * {@code monitor} never has sessions, and shows a host that may be busy.
     */
    private boolean isIdle() {
        if (sessions.role().equals("monitor")) {
            return false;
        }
        for (SampleListener listener : listeners) {
            if (listener.isWatched()) {
                return false;
            }
        }
        return sessions.observed().isEmpty();
    }

    /** Every descriptor is counted one by one, and there may be thousands. */
    private ProcessFigures process() {
        ProcessFigures known = process;
        samples++;
        if (known == null || samples % HostSource.IDLE_FACTOR == 0) {
            known = ProcessFigures.read();
            process = known;
            jvm = JvmFigures.read();
        }
        return known;
    }

    /** Whether other programs have kept the cores busy in the last seconds. */
    private boolean doOthersFillTheCores(HostFigures figures, double processSeconds) {
        long all = 0;
        long idle = 0;
        for (CoreTicks core : figures.cores()) {
            all += core.total();
            idle += core.get(Mode.IDLE) + core.get(Mode.IOWAIT);
        }
        return ForeignLoad.prevailedRecently(
                new Ticks(all - idle, all, Math.round(processSeconds / FigureList.TICK_SECONDS)));
    }

    private boolean isLoopbackUsed() {
        return sessions.observed().stream()
                .flatMap(session -> session.activity().lanes().stream())
                .anyMatch(lane -> lane.isOpen() && source.laneNics().isOfThisHost(lane.remote()));
    }

    private Map<String, HostView> peers() {
        Map<String, HostView> peers = new LinkedHashMap<>();
        for (ObservedSession session : sessions.observed()) {
            if (!session.activity().state().isEnded()) {
                PeerHost other = session.activity().peerHost();
                // Also for what the lanes there do, without which this end cannot name the bottleneck.
                other.ask();
                HostView view = other.view();
                if (showsPeers && view != null && peers.size() < MAX_PEERS) {
                    peers.put(session.shortName(), view);
                }
            }
        }
        return peers;
    }

    /** Returns the queue of the lane's NIC whose interrupts the core handles, if there is exactly one. */
    private @Nullable String queueOf(LaneActivity lane, int core, List<QueueRate> queues) {
        String found = null;
        for (QueueRate queue : queues) {
            if (core >= 0
                    && queue.core() == core
                    && !queue.queue().startsWith("tx-")
                    && source.laneNics().mayArriveBy(queue.nic(), lane.local(), lane.remote())) {
                if (found != null) {
                    return null;
                }
                found = queue.nic() + ":" + queue.queue();
            }
        }
        return found;
    }

    /** Takes a last sample, and notifies the listeners of the end. */
    @Override
    public void close() {
        closing.countDown();
        Threads.join(thread, JOIN_MS);
    }
}
