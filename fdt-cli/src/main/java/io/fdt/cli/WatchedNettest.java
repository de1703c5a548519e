package io.fdt.cli;

import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestProgress;
import io.fdt.core.stats.SessionActivity;

/** Shows the sessions of a network test to a monitor, too. */
record WatchedNettest(NettestDisplay display, Monitoring monitoring) implements NettestDisplay {
    @Override
    public void onActivity(SessionActivity session) {
        monitoring.observe(session);
    }

    @Override
    public void onStart(String session, NettestPlan plan, String transport, String peer) {
        display.onStart(session, plan, transport, peer);
    }

    @Override
    public void onInterval(NettestProgress progress) {
        display.onInterval(progress);
    }

    @Override
    public void onWarning(String message) {
        display.onWarning(message);
    }

    @Override
    public void onEnd(NettestOutcome outcome) {
        display.onEnd(outcome);
    }
}
