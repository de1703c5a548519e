package io.fdt.cli.server;

import io.fdt.cli.CommandRun;
import io.fdt.cli.console.LogLevel;
import io.fdt.cli.display.EventLog;
import io.fdt.cli.display.LogForm;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionCounters;
import io.fdt.core.transport.Await;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Test;

class ServerStatusTest {
    private final ServerStatus status =
            new ServerStatus(EventLog.begin(new CommandRun().context(), new LogForm(LogLevel.INFO, false, false)));

    /** Starts a session whose end is not reported, like one with another server, or one that failed. */
    private WeakReference<SessionActivity> ended(String name) {
        SessionActivity session = new SessionActivity(name, "10.0.0.7:5", new SessionCounters());
        status.onSessionStart(name, "10.0.0.7:5", "guest", "copy to dtn2");
        status.onSessionOpen(session);
        session.end();
        return new WeakReference<>(session);
    }

    @Test
    void keepsNoSessionThatHasEnded() {
        WeakReference<SessionActivity> first = ended("s1");
        ended("s2");
        Await.until("the ended session is forgotten", () -> {
            System.gc();
            return first.get() == null;
        });
    }
}
