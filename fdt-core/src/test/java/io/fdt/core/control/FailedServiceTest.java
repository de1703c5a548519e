package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.Clock;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.security.Identity;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.Summary;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.LinkTransport;
import io.fdt.core.transport.MemoryNetwork;
import io.fdt.core.transport.Transport;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.VerifyMessage;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
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
        Identity identity = Identity.create();
        KeyStore keys = new KeyStore(home);
        keys.createDefaultOnce();
        List<String> started = new CopyOnWriteArrayList<>();
        List<@Nullable FailureKind> ended = new CopyOnWriteArrayList<>();
        MemoryNetwork network = MemoryNetwork.withThreads(1);
        LinkTransport here = network.newTransport(4096, 4);
        LinkTransport there = network.newTransport(4096, 4);
        ServerAccess access = ServerAccess.of(identity, Objects.requireNonNull(keys.defaultKey()));
        try (Server server = new Server(
                        new Server.Keys(identity.fingerprint(), keys, new Delegations(Clock.SYSTEM)),
                        List.of(new Throwing()),
                        ServerLimits.DEFAULT,
                        new ServerObserver() {
                            @Override
                            public void onSessionStart(String session, String peer, String key, String what) {
                                started.add(session);
                            }

                            @Override
                            public void onSessionEnd(String session, String peer, String key, Summary summary) {
                                assertThat(started).containsExactly(session);
                                ended.add(summary.kind());
                            }
                        },
                        "fdt",
                        Clock.SYSTEM);
                Transport.Listener listener = there.listen(new InetSocketAddress("localhost", 0), server);
                Client client = new Client(here, access, "fdt", Clock.SYSTEM)) {
            client.open(
                            listener.address(),
                            null,
                            new VerifyMessage.OpenVerify(
                                    RawPath.EMPTY, DigestKind.NONE, false, false, false, 1, Await.LIMIT_MS),
                            Await.LIMIT_MS)
                    .end(null);
            Await.until("the session has ended", () -> server.sessions() == 0);
        } finally {
            here.close();
            there.close();
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
