package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Permission;
import io.fdt.core.stats.Summary;
import io.fdt.core.transport.Await;
import io.fdt.core.wire.ControlMessage;
import java.nio.file.Path;
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
        KeyStore keys = new KeyStore(home);
        IssuedKey guest = keys.create("guest", Permission.READ_ONLY, null);
        ServerObserver observer = new ServerObserver() {
            @Override
            public void onKeyRevoked(String name, String id) {
                noticed.complete(true);
            }
        };
        try (ServedNetwork network =
                new ServedNetwork(keys, guest, new Revoking(keys), observer, ServerLimits.DEFAULT, Thread::new)) {
            assertThatThrownBy(network::open)
                    .isInstanceOfSatisfying(
                            TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.REFUSED));
            assertThat(found).isEqualTo("the key guest has been revoked");
            Await.until("no session is left", () -> network.server.sessions() == 0);
        }
    }

    /** While the request is being granted, the key is revoked, and the server notices. */
    private final class Revoking extends TestService {
        private final KeyStore keys;

        Revoking(KeyStore keys) {
            super(1, false, (session, open) -> look(session));
            this.keys = keys;
        }

        @Override
        public Grant grant(ControlMessage open) {
            assertThat(keys.revoke("guest")).isTrue();
            noticed.join();
            return super.grant(open);
        }
    }

    private Summary look(Session session) {
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
