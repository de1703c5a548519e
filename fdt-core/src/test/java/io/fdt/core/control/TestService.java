package io.fdt.core.control;

import io.fdt.core.stats.Summary;
import io.fdt.core.transport.Await;
import io.fdt.core.wire.ControlMessage;

/** A service that accepts every request, and serves as a test says. */
class TestService implements Service {
    private final Grant grant;
    private final Serving serving;

    /** What {@link Service#serve} does. */
    @FunctionalInterface
    interface Serving {
        Summary serve(Session session, ControlMessage open) throws InterruptedException;
    }

    /** Serves with this role, and has moved nothing. */
    static TestService of(int lanes, boolean clearLanes, SessionHandler role) {
        return new TestService(lanes, clearLanes, (session, open) -> {
            session.serve(role, () -> {});
            return session.summary(null, 0, 0, 0);
        });
    }

    TestService(int lanes, boolean clearLanes, Serving serving) {
        this.grant = new Grant(lanes, clearLanes, Await.LIMIT_MS);
        this.serving = serving;
    }

    @Override
    public String describe(ControlMessage open) {
        return "a test";
    }

    @Override
    public Grant grant(ControlMessage open) {
        return grant;
    }

    @Override
    public Summary serve(Session session, ControlMessage open) throws InterruptedException {
        return serving.serve(session, open);
    }
}
