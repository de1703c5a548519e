package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.stats.Summary;
import io.fdt.core.transport.Await;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service that throws: whoever follows the sessions of a server must see each of them end. */
class FailedServiceTest {
    @TempDir
    Path home = Path.of("unset");

    @Test
    void aSessionWhoseServiceThrowsIsReportedAsEnded() throws Exception {
        List<String> started = new CopyOnWriteArrayList<>();
        List<@Nullable FailureKind> ended = new CopyOnWriteArrayList<>();
        ServerObserver observer = new ServerObserver() {
            @Override
            public void onSessionStart(String session, String peer, String key, String what) {
                started.add(session);
            }

            @Override
            public void onSessionEnd(String session, String peer, String key, Summary summary) {
                ended.add(started.contains(session) ? summary.kind() : null);
            }
        };
        Service service = new TestService(1, false, (session, open) -> {
            session.attach(QuietRole.done());
            session.announce();
            throw Cause.SOURCE.failure("the service broke");
        });
        try (ServedNetwork network = new ServedNetwork(home, service, observer)) {
            network.open().end(null);
            Await.until("the session has ended", () -> network.server.sessions() == 0);
        }
        assertThat(ended).containsExactly(FailureKind.SOURCE);
    }
}
