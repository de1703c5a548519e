package io.fdt.core.control;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.Pauses;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.run.Threads;
import io.fdt.core.security.Permission;
import io.fdt.core.security.Secret;
import io.fdt.core.security.Secrets;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.LaneNames;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.OpenLanes;
import io.fdt.core.transport.local.InnerLane;
import io.fdt.core.transport.local.InnerLink;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.LaneHello;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage.OpenTransfer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A service of this process as the other end of its own copy. Link and lanes are handed over in memory: there is
 * nothing that another process could reach, so nobody has to prove who it is. The service serves the session on a
 * thread of its own, with all rights of this user.
 */
public final class ServiceHere implements CopyPeer {
    private static final String PEER = "this host";
    private static final Pauses PAUSE_MS = new Pauses(100, 5_000);

    private final Service service;
    private final Clock clock = Clock.SYSTEM;
    private final ScheduledExecutorService timer = Timers.newTimer();
    private final OpenLanes open = new OpenLanes();
    private final LaneNames names = new LaneNames(LanePlaces.ANYWHERE);
    private final Budget budget = Budgets.ofProcess();
    private final Budget budgetThere = Budgets.ofProcess();
    private volatile @Nullable Served served;

    /** The session at the service's end. */
    private record Served(Session session, Thread thread) {}

    public ServiceHere(Service service) {
        this.service = service;
    }

    @Override
    public boolean isLent() {
        return false;
    }

    @Override
    public String transport() {
        return Carrier.MEMORY.label();
    }

    @Override
    public Session openCopy(TransferPlan plan, TransferPlan asked) throws InterruptedException {
        ControlMessage request = new OpenTransfer(asked);
        Service.Grant grant = service.grant(request);
        InnerLink.Pair pair = InnerLink.pair(PEER, timer);
        ControlLink there = ControlLink.toClient(pair.far());
        ControlLink here = ControlLink.toServer(pair.near(), Failure.HERE);
        Answers answers = new Answers(here, false);
        there.open(null);
        here.open(answers);
        SessionMessage.Opened opening = new SessionMessage.Opened(
                Secrets.random(LaneHello.SESSION_ID_BYTES),
                Secret.random().bytes(),
                grant.usefulLanes(),
                grant.clearLanes(),
                0,
                grant.checksums());
        begin(new Session(opening, channel(there, grant.timeoutMs()), Permission.ALL, budgetThere, clock), request);
        SessionMessage.Opened opened = answers.next(SessionMessage.Opened.class, asked.stepMs());
        Session session = new Session(opened, channel(here, grant.timeoutMs()), Permission.ALL, budget, clock);
        session.known();
        return session;
    }

    private ControlChannel channel(ControlLink link, long timeoutMs) {
        return new ControlChannel(
                link,
                clock,
                timer,
                timeoutMs,
                lost -> lost.giveUp(Cause.CONNECTION_LOST.failure("the other end of the copy has gone")));
    }

    private void begin(Session session, ControlMessage request) {
        Thread thread = Threads.daemon("fdt-session-" + session.name(), () -> serve(session, request));
        served = new Served(session, thread);
        Threads.start(thread);
    }

    private void serve(Session session, ControlMessage request) {
        TransferException failure = null;
        try {
            var unused = service.serve(session, request);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            failure = TransferException.of(e);
        } catch (RuntimeException | Error e) {
            failure = TransferException.of(e);
        } finally {
            session.end(failure);
        }
    }

    @Override
    public SessionLanes lanes(TransferPlan plan, Session session, SessionHandler handler, Consumer<String> warnings) {
        return new InnerLanes(session, handler);
    }

    /** For the thread of the session here, like everything in it. */
    private final class InnerLanes implements SessionLanes {
        private final Session session;
        private final SessionHandler handler;
        private final int[] attempts;
        private final boolean[] inUse;
        private int wanted;
        private boolean closed;
        private @Nullable String description;

        InnerLanes(Session session, SessionHandler handler) {
            this.session = session;
            this.handler = handler;
            this.attempts = new int[session.lanes()];
            this.inUse = new boolean[session.lanes()];
        }

        @Override
        public void request(int lanes) {
            wanted = Math.min(lanes, attempts.length);
            for (int lane = 0; lane < wanted; lane++) {
                if (!inUse[lane]) {
                    inUse[lane] = true;
                    join(lane);
                }
            }
        }

        @Override
        public void openAgain(int lane) {
            attempts[lane]++;
            if (lane >= wanted) {
                inUse[lane] = false;
                return;
            }
            try {
                var unused = timer.schedule(
                        () -> session.execute(() -> join(lane)), PAUSE_MS.after(attempts[lane]), TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException closedAlready) {
                // The copy has ended.
            }
        }

        private void join(int index) {
            Served there = served;
            SessionHandler receiving = there == null ? null : there.session.handler();
            if (closed || receiving == null) {
                return;
            }
            InnerLane lane = open.add(new InnerLane(PEER, names, open::remove));
            description = lane.description();
            try {
                lane.far().start(receiving.onLane(index, attempts[index], lane.far()));
                lane.start(handler.onLane(index, attempts[index], lane));
            } catch (RuntimeException | Error failure) {
                lane.abort(TransferException.of(failure));
                throw failure;
            }
        }

        @Override
        public @Nullable String description() {
            return description;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    @Override
    public void close(long timeoutMs) {
        Served there = served;
        if (there != null) {
            TransferException ends = Cause.CONNECTION_LOST.failure("the copy is ending");
            there.session.interrupt(ends);
            budgetThere.end(ends);
            Threads.join(there.thread, timeoutMs);
        }
        open.close(timeoutMs);
        timer.shutdownNow();
        budget.close();
        budgetThere.close();
    }
}
