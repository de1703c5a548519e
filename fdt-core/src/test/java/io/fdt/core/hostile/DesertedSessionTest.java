package io.fdt.core.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.TestServer;
import io.fdt.core.failure.Cause;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Permission;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.transport.Await;
import io.fdt.core.wire.SessionMessage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Which sessions a server ends when it does not keep sessions whose clients have gone. Otherwise it would keep all of
 * these for a long time.
 */
class DesertedSessionTest {
    @TempDir
    Path directory;

    private TestServer server;
    private HostileClient client;

    @BeforeEach
    void start() throws Exception {
        Path home = directory.resolve("home");
        server = new TestServer(home, Files.createDirectories(directory.resolve("root")));
        IssuedKey key = new KeyStore(home).create("hostile", Permission.READ_WRITE, null);
        client = new HostileClient(server.address(), ServerAccess.of(Identity.loadOrCreate(home), key));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    @Test
    void endsASessionOnlyIfAllItsConnectionsAreClosed() throws Exception {
        HostileClient.Opened gone = client.open(HostileClient.push("/gone/"));
        HostileClient.Opened back = client.open(HostileClient.push("/back/"));
        HostileClient.Opened moving = client.open(HostileClient.push("/moving/"));
        SessionMessage.Opened granted = moving.session();
        RawLane lane = client.lane(granted, 0, 0, HostileClient.proof(granted, 0, 0), false);
        Await.until("a lane", () -> activityOf(granted).lanes().stream().anyMatch(LaneActivity::isOpen));
        cut(back);
        RawLink again = client.reattach(back.session(), 0);
        assertThat(again.next(SessionMessage.Reattached.class)).isNotNull();
        // Not before: on a busy machine the way back may take longer than the server would wait.
        server.endDeserted();
        cut(moving);
        cut(gone);
        awaitEnds(1);
        assertThat(server.ended.element().run().session()).isEqualTo(nameOf(gone.session()));

        lane.close();
        awaitEnds(2);
        assertThat(server.ended.stream().map(summary -> summary.run().session()))
                .contains(nameOf(granted));
        assertThat(again.isClosed()).isFalse();
        again.close();
        awaitEnds(3);
    }

    @Test
    void keepsDisconnectedSessionByDefault() throws Exception {
        HostileClient.Opened kept = client.open(HostileClient.push("/kept/"));
        try (TestServer other = new TestServer(directory.resolve("other-home"), directory.resolve("root"))) {
            Path home = directory.resolve("other-home");
            IssuedKey key = new KeyStore(home).create("hostile", Permission.READ_WRITE, null);
            try (HostileClient leaving =
                    new HostileClient(other.address(), ServerAccess.of(Identity.loadOrCreate(home), key))) {
                HostileClient.Opened gone = leaving.open(HostileClient.push("/gone/"));
                other.endDeserted();
                cut(kept);
                cut(gone);
                Await.until("the end of the one that is not kept", () -> other.ended.size() == 1);
            }
        }
        assertThat(server.ended).isEmpty();
        RawLink again = client.reattach(kept.session(), 0);
        assertThat(again.next(SessionMessage.Reattached.class)).isNotNull();
        again.close();
    }

    private static void cut(HostileClient.Opened session) {
        session.link().abort(Cause.CONNECTION_LOST.failure("cut"));
    }

    private void awaitEnds(int count) {
        Await.until(
                () -> server.ended.size() + " of " + count + " sessions have ended",
                () -> server.ended.size() == count);
    }

    private SessionActivity activityOf(SessionMessage.Opened session) {
        return server.opened.stream()
                .filter(each -> each.name().equals(nameOf(session)))
                .findFirst()
                .orElseThrow();
    }

    private static String nameOf(SessionMessage.Opened session) {
        return HexFormat.of().formatHex(session.sessionId(), 0, 8);
    }
}
