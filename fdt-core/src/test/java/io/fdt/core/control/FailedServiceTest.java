package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.stats.Summary;
import io.fdt.core.transport.Await;
import io.fdt.core.wire.ControlMessage;
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
        try (ServedNetwork network = new ServedNetwork(home, new Throwing(), observer)) {
            network.open().end(null);
            Await.until("the session has ended", () -> network.server.sessions() == 0);
        }
        assertThat(ended).containsExactly(FailureKind.SOURCE);
    }

    private static final class Throwing implements Service {
        @Override
        public boolean accepts(ControlMessage open) {
            return true;
        }

        @Override
        public String describe(ControlMessage open) {
            return "a test";
        }

        @Override
        public Grant grant(ControlMessage open) {
            return new Grant(1, false, Await.LIMIT_MS);
        }

        @Override
        public Summary serve(Session session, ControlMessage open) {
            session.attach(new SessionHandler() {
                @Override
                public boolean takes(Class<? extends ControlMessage> type) {
                    return true;
                }

                @Override
                public void onMessage(ControlMessage message) {}

                @Override
                public boolean isDone() {
                    return true;
                }

                @Override
                public void onLinkClosed(@Nullable TransferException cause) {}
            });
            session.announce();
            throw Cause.SOURCE.failure("the service broke");
        }
    }
}
