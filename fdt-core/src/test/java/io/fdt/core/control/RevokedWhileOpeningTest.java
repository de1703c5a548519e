package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.basic.Clock;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Permission;
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
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The last look at a key finds it good, and it is revoked before its session is among those that a look ends. */
class RevokedWhileOpeningTest {
    @TempDir
    Path home = Path.of("unset");

    private final CompletableFuture<Boolean> noticed = new CompletableFuture<>();
    private volatile String found = "nothing";

    @Test
    void theSessionEndsBeforeItsServiceBegins() throws Exception {
        Identity identity = Identity.create();
        KeyStore keys = new KeyStore(home);
        keys.createDefaultOnce();
        IssuedKey guest = keys.create("guest", Permission.READ_ONLY, null);
        MemoryNetwork network = MemoryNetwork.withThreads(1);
        LinkTransport here = network.newTransport(4096, 4);
        LinkTransport there = network.newTransport(4096, 4);
        try (Server server = new Server(
                        new Server.Keys(identity.fingerprint(), keys, new Delegations(Clock.SYSTEM)),
                        List.of(new Revoking(keys)),
                        ServerLimits.DEFAULT,
                        new ServerObserver() {
                            @Override
                            public void onKeyRevoked(String name, String id) {
                                noticed.complete(true);
                            }
                        },
                        "fdt",
                        Clock.SYSTEM);
                Transport.Listener listener = there.listen(new InetSocketAddress("localhost", 0), server);
                Client client = new Client(here, ServerAccess.of(identity, guest), "fdt", Clock.SYSTEM)) {
            VerifyMessage.OpenVerify request = new VerifyMessage.OpenVerify(
                    RawPath.EMPTY, DigestKind.NONE, false, false, false, 1, Await.LIMIT_MS);
            assertThatThrownBy(() -> client.open(listener.address(), null, request, Await.LIMIT_MS))
                    .isInstanceOfSatisfying(
                            TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.REFUSED));
            assertThat(found).isEqualTo("the key guest has been revoked");
            Await.until("no session is left", () -> server.sessions() == 0);
        } finally {
            here.close();
            there.close();
        }
    }

    /** While the request is being granted, the key is revoked, and the server notices. */
    private final class Revoking implements Service {
        private final KeyStore keys;

        Revoking(KeyStore keys) {
            this.keys = keys;
        }

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
            assertThat(keys.revoke("guest")).isTrue();
            noticed.join();
            return new Grant(1, false, Await.LIMIT_MS);
        }

        @Override
        public Summary serve(Session session, ControlMessage open) {
            try {
                session.budget().requireOpen();
                found = "the session runs";
            } catch (TransferException ended) {
                found = String.valueOf(ended.getMessage());
                throw ended;
            }
            throw Cause.SOURCE.failure("it should have ended");
        }
    }
}
