package io.fdt.core.control;

import io.fdt.core.failure.TransferException;
import io.fdt.core.wire.ControlMessage;
import org.jspecify.annotations.Nullable;

/** A side of a session that gets no messages and no lanes. It is done when its link is closed. */
class QuietRole implements SessionHandler {
    private volatile boolean done;

    /** One that is done at once. */
    static QuietRole done() {
        QuietRole role = new QuietRole();
        role.end();
        return role;
    }

    final void end() {
        done = true;
    }

    @Override
    public boolean takes(Class<? extends ControlMessage> type) {
        return false;
    }

    @Override
    public void onMessage(ControlMessage message) {
        throw new AssertionError(message);
    }

    @Override
    public boolean isDone() {
        return done;
    }

    @Override
    public void onLinkClosed(@Nullable TransferException cause) {
        end();
    }
}
