package io.fdt.cli.server;

import io.fdt.core.control.ServerObserver;
import io.fdt.core.digest.Checksums;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.ServedFile;
import io.fdt.core.run.SurvivedFailures;
import io.fdt.core.run.Threads;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.wire.AccountMessage;
import io.fdt.core.wire.AccountMessage.CountedRefusal;
import io.fdt.core.wire.AccountMessage.Ended;
import io.fdt.core.wire.AccountMessage.Figures;
import io.fdt.core.wire.AccountMessage.FileEnded;
import io.fdt.core.wire.AccountMessage.LaneFigures;
import io.fdt.core.wire.AccountMessage.Opened;
import io.fdt.core.wire.AccountMessage.Refused;
import io.fdt.core.wire.AccountMessage.Warned;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * In the process of an account: passes the events of its sessions, and once a second their figures, to the server's
 * first process, whose {@link RelayedEvents} report them like its own. Thread-safe.
 */
final class EventRelay implements ServerObserver {
    private final Consumer<AccountMessage> out;
    private final boolean files;
    private final Checksums checksums;
    private final Map<SessionActivity, Long> open = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    private final SurvivedFailures failures = new SurvivedFailures();

    /**
     * @param out sends a message; any thread
     * @param files whether the server wants to know about each file
     * @param checksums that the server wants of each file
     */
    EventRelay(Consumer<AccountMessage> out, boolean files, Checksums checksums) {
        this.out = out;
        this.files = files;
        this.checksums = checksums;
    }

    /** Starts to pass figures on. */
    void begin() {
        Threads.start("fdt-relay", () -> {
            while (true) {
                TimeUnit.SECONDS.sleep(1);
                var unused = failures.survives(this::sendAllFigures);
            }
        });
    }

    void sendAllFigures() {
        open.entrySet().removeIf(each -> {
            Figures figures = figures(each.getValue(), each.getKey());
            out.accept(figures);
            // The end of a client's session is reported.
            return figures.state().isEnded() && each.getKey().key().isEmpty();
        });
    }

    @Override
    public void onSessionOpen(SessionActivity session) {
        long number = numbers.incrementAndGet();
        out.accept(new Opened(
                number, session.name(), session.peer(), session.state().admission()));
        open.put(session, number);
        out.accept(figures(number, session));
    }

    @Override
    public void onSessionEnd(String session, String peer, String key, Summary summary) {
        onSession(session, key, (activity, number) -> {
            out.accept(figures(number, activity));
            open.remove(activity);
            out.accept(new Ended(number, summary));
        });
    }

    private void onSession(String session, String key, BiConsumer<SessionActivity, Long> action) {
        open.forEach((activity, number) -> {
            // A copy from this server to itself has a session of the same name, as the client.
            if (activity.name().equals(session) && activity.key().equals(key)) {
                action.accept(activity, number);
            }
        });
    }

    @Override
    public boolean watchesFiles() {
        return files;
    }

    @Override
    public Checksums checksums() {
        return checksums;
    }

    @Override
    public void onFile(String session, String peer, String key, ServedFile file) {
        onSession(session, key, (activity, number) -> out.accept(new FileEnded(number, file)));
    }

    @Override
    public void onWarning(String text) {
        out.accept(new Warned(text));
    }

    @Override
    public void onRefused(String peer, String why) {
        out.accept(new Refused(peer, why));
    }

    @Override
    public void onRefusal(Cause cause) {
        out.accept(new CountedRefusal(cause));
    }

    private static Figures figures(long number, SessionActivity session) {
        // The state first: what is counted until its end is passed on with it.
        return new Figures(
                number,
                session.state(),
                session.isPeerGone(),
                session.counters().flushNanos(),
                session.lanes().stream().map(lane -> figures(session, lane)).toList());
    }

    private static LaneFigures figures(SessionActivity session, LaneActivity lane) {
        return new LaneFigures(
                lane.index(),
                lane.direction(),
                lane.bytes(),
                lane.isOpen(),
                session.counters().lane(lane.index()),
                lane.ends(),
                lane.figures());
    }
}
