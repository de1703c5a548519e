package io.fdt.cli.nettest;

import io.fdt.cli.monitor.Monitoring;
import io.fdt.core.nettest.NamedFigures;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.stats.SessionActivity;

/** Shows the sessions of a network test to a monitor and the log, too. */
record WatchedNettest(NettestDisplay display, NettestLog log, Monitoring monitoring) implements NettestDisplay {
    @Override
    public void onActivity(SessionActivity session) {
        monitoring.observe(session);
        log.onActivity(session);
    }

    @Override
    public void onStart(String session, NettestPlan plan, String transport, String peer) {
        log.onStart(session, plan, transport, peer);
        display.onStart(session, plan, transport, peer);
    }

    @Override
    public void onInterval(NamedFigures progress) {
        log.onInterval(progress);
        display.onInterval(progress);
    }

    @Override
    public void onWarning(String message) {
        log.onWarning(message);
        display.onWarning(message);
    }

    @Override
    public void onEnd(NettestOutcome outcome) {
        display.onEnd(outcome);
    }
}
