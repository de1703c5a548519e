package io.fdt.cli.server;

import io.fdt.cli.console.LogEvent;
import io.fdt.cli.display.EventLog;
import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionState;
import io.fdt.core.stats.TransferFigures;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Reports the state of a server to the operator on SIGUSR1: a line for the server and one for each session. It costs
 * nothing until it is requested; it then takes two samples, because a rate needs two. Thread-safe.
 */
final class ServerStatus implements ServerObserver {
    private static final long LOOK_MS = 500;

    private final EventLog log;
    private final Set<SessionActivity> sessions = ConcurrentHashMap.newKeySet();

    /** The number of bytes that a session had moved at a given time. */
    private record Look(SessionActivity session, long nanos, long outBytes, long inBytes) {
        static Look at(SessionActivity session) {
            long out = session.moved(Direction.OUT);
            return new Look(session, System.nanoTime(), out, session.moved(Direction.IN));
        }

        double outBitsPerSecond(Look before) {
            return rate(outBytes - before.outBytes, nanos - before.nanos);
        }

        double inBitsPerSecond(Look before) {
            return rate(inBytes - before.inBytes, nanos - before.nanos);
        }

        private static double rate(long bytes, long nanos) {
            // The count of a reopened lane starts again at zero.
            return nanos <= 0 ? 0 : Math.max(0, bytes) * 8e9 / nanos;
        }

        long lanes() {
            return session.lanes().stream().filter(LaneActivity::isOpen).count();
        }
    }

    ServerStatus(EventLog log) {
        this.log = log;
    }

    @Override
    public void onSessionOpen(SessionActivity session) {
        forgetEnded();
        sessions.add(session);
    }

    private void forgetEnded() {
        sessions.removeIf(session -> session.state().isEnded());
    }

    /** Logs the state; takes half a second, on the thread of the signal. */
    void tell() {
        forgetEnded();
        List<Look> before = sessions.stream()
                .sorted(Comparator.comparing(SessionActivity::name))
                .map(Look::at)
                .toList();
        try {
            TimeUnit.MILLISECONDS.sleep(before.isEmpty() ? 0 : LOOK_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        List<Look> now = before.stream().map(look -> Look.at(look.session)).toList();
        long lanes = 0;
        double out = 0;
        double in = 0;
        for (int i = 0; i < now.size(); i++) {
            lanes += now.get(i).lanes();
            out += now.get(i).outBitsPerSecond(before.get(i));
            in += now.get(i).inBitsPerSecond(before.get(i));
        }
        logServer(now.size(), lanes, out, in);
        for (int i = 0; i < now.size(); i++) {
            logSession(now.get(i), before.get(i));
        }
    }

    private void logServer(int count, long lanes, double out, double in) {
        String message = Figures.count(count, "session") + ", " + Figures.count(lanes, "lane") + ", in "
                + Figures.rate(in) + ", out " + Figures.rate(out);
        log.tell(
                LogEvent.STATUS,
                message,
                new JsonObject()
                        .with("sessions", count)
                        .with("lanes", lanes)
                        .with("bits_per_second_in", in, 1)
                        .with("bits_per_second_out", out, 1));
    }

    private void logSession(Look now, Look before) {
        SessionActivity session = now.session;
        double out = now.outBitsPerSecond(before);
        double in = now.inBitsPerSecond(before);
        SessionState state = session.state();
        SessionActivity.Work work = state.work();
        TransferFigures figures = work == null ? null : work.figures();
        Moved moved = figures != null
                ? figures.moved()
                : Moved.all(session.counters().sum(Counter.SENT_BYTES)
                        + session.counters().sum(Counter.RECEIVED_BYTES));
        String files = figures == null
                ? ""
                : ", " + figures.filesDone.get() + "/" + figures.filesTotal.get()
                        + (figures.totalsFinal ? " files" : "+ files");
        String message = "session " + session.name() + " from " + session.peer() + ": "
                + state.admission().purpose() + ", "
                + Figures.count(now.lanes(), "lane") + ", " + Figures.bytes(moved.durable()) + " moved, in "
                + Figures.rate(in)
                + ", out " + Figures.rate(out) + files;
        log.tell(
                LogEvent.SESSION_STATUS,
                session.name(),
                session.peer(),
                message,
                new JsonObject()
                        .with("what", state.admission().purpose())
                        .with("lanes", now.lanes())
                        .with(moved.json())
                        .with("bits_per_second_in", in, 1)
                        .with("bits_per_second_out", out, 1)
                        .withKnown("files", figures == null ? -1 : figures.filesDone.get())
                        .withKnown("files_total", figures == null ? -1 : figures.filesTotal.get())
                        .with("totals_final", figures != null && figures.totalsFinal));
    }
}
