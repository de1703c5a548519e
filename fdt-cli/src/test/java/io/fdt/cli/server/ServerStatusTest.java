package io.fdt.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.CommandRun;
import io.fdt.cli.console.LogLevel;
import io.fdt.cli.display.EventLog;
import io.fdt.cli.display.LogForm;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionCounters;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ServerStatusTest {
    private final ServerStatus status =
            new ServerStatus(EventLog.begin(new CommandRun().context(), new LogForm(LogLevel.INFO, false, false)));

    /** A session of this server's own at another one, or one that failed: nobody reports its end. */
    private WeakReference<SessionActivity> ended(String name) {
        SessionActivity session = new SessionActivity(name, "10.0.0.7:5", new SessionCounters());
        status.onSessionStart(name, "10.0.0.7:5", "guest", "copy to dtn2");
        status.onSessionOpen(session);
        session.end();
        return new WeakReference<>(session);
    }

    @Test
    void keepsNoSessionThatHasEnded() throws InterruptedException {
        WeakReference<SessionActivity> first = ended("s1");
        ended("s2");
        while (first.get() != null) {
            System.gc();
            Thread.sleep(10);
        }
        assertThat(first.get()).isNull();
    }
}
