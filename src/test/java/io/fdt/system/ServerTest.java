package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import io.fdt.system.Route.Direction;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A server reports when it is ready, serves many clients at once, ends when told to, and resists unauthenticated
 * clients.
 */
final class ServerTest {
    private static final int MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    @Test
    void readyLineNamesTheAddress() {
        FdtProcess process = at.start("server", "server", "--listen", "127.0.0.1:0", "--root", at.directory("remote"));
        String line = process.awaitLine(Workplace.LIMIT, text -> text.startsWith("fdt server ready on "));
        assertThat(line).matches("fdt server ready on 127\\.0\\.0\\.1:[1-9][0-9]*");
        String address = line.substring(line.lastIndexOf(' ') + 1);
        Path source = Trees.file(at.path("f"), 10, 1);
        at.copy(source, "fdt://" + address + "/f").expectExit(0);
    }

    @Test
    void concurrentSessionsAreIndependent() {
        FdtServer server = at.server();
        List<FdtProcess> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Trees.small(at.path("in" + i), i * 10L);
            Trees.small(server.root().resolve("out" + i), 100 + i * 10L);
            clients.add(at.startCopy("-P", 3, at.path("in" + i) + "/", server.url("/in" + i + "/")));
            clients.add(at.startCopy("-P", 3, server.url("/out" + i + "/"), at.path("out" + i) + "/"));
        }
        clients.forEach(client -> client.await(Workplace.LIMIT).expectExit(0));
        for (int i = 0; i < 3; i++) {
            Trees.assertSame(at.path("in" + i), server.root().resolve("in" + i));
            Trees.assertSame(server.root().resolve("out" + i), at.path("out" + i));
        }
    }

    @Test
    void endedSessionsLeaveNoDescriptorsOpen() {
        FdtServer server = at.server();
        Path source = Trees.file(at.path("f"), 100, 1);
        at.copy("-P", 4, source, server.url("/f")).expectExit(0);
        server.process().awaitLine(Workplace.LIMIT, line -> line.contains("session_end"));
        long before = descriptors(server);
        // More than the lanes of the first session, which may not be closed yet.
        for (int i = 0; i < 20; i++) {
            at.copy("-P", 4, "--existing", "overwrite", source, server.url("/f"))
                    .expectExit(0);
        }
        Await.until("as few descriptors as before", Workplace.LIMIT, () -> descriptors(server) <= before + 2);
    }

    private static long descriptors(FdtServer server) {
        try (var files =
                Files.list(Path.of("/proc", Long.toString(server.process().pid()), "fd"))) {
            return files.count();
        } catch (IOException e) {
            throw new AssertionError("the server is gone\n" + server.process().transcript(), e);
        }
    }

    @Test
    void onceEndsWithTheSessionsExitCode() {
        FdtServer good = at.server("--once");
        Path source = Trees.file(at.path("f"), 10, 1);
        at.copy(source, good.url("/f")).expectExit(0);
        good.process().await(Workplace.LIMIT).expectExit(0);

        FdtServer bad = at.server("--once");
        at.copy(bad.url("/no-such-file"), at.path("g")).expectExit(4);
        bad.process().await(Workplace.LIMIT).expectExit(4);
    }

    @Test
    void refusedClientDoesNotEndOnce() throws IOException {
        FdtServer server = at.server("--once");
        sendAndDrop(server, "GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        Path source = Trees.file(at.path("f"), 10, 1);
        at.copy(source, server.url("/f")).expectExit(0);
        server.process().await(Workplace.LIMIT).expectExit(0);
    }

    @Test
    void idleServerEndsOnTermAndOnInterrupt() {
        FdtServer first = at.server();
        first.process().signal("TERM");
        first.process().await(Workplace.LIMIT).expectExit(0);
        FdtServer second = at.server();
        second.process().signal("INT");
        second.process().await(Workplace.LIMIT).expectExit(130);
    }

    @EachWay
    void termLetsARunningSessionReachAResumableState(Direction direction) {
        Route direct = Route.of(at, direction);
        FaultProxy proxy = at.closing(FaultProxy.before(direct.server().port()));
        Route route = direct.through(proxy);
        Trees.file(route.sourcePath("f"), 100 * MIB, 1);
        proxy.throttle(20 * MIB);
        // It must not end before the server does.
        CountDownLatch half = proxy.slowDownAfter(50 * MIB, MIB);
        FdtProcess client = at.startCopy("-P", 2, "--timeout", "15s", route.source("f"), route.target(""));
        Await.until("half of it is over", half);
        direct.server().process().signal("TERM");
        direct.server().process().await(Workplace.LIMIT).expectExit(0);
        client.await(Workplace.LIMIT).expectExit(9);
        assertThat(route.targetPath("f")).doesNotExist();

        Route again = direct.to(at.server());
        Outcome rerun = at.copy(again.source("f"), again.target("")).expectExit(0);
        assertThat(rerun.number("bytes_resumed")).isGreaterThan(16 * MIB);
        Trees.assertSameFile(route.sourcePath("f"), route.targetPath("f"));
    }

    @Test
    void portInUseIsReportedInOneLine() {
        FdtServer first = at.server();
        Outcome second = at.fdt("server", "--listen", "127.0.0.1:" + first.port(), "--root", at.directory("remote"));
        second.expectExit(2);
        assertThat(second.err()).hasSize(1);
        assertThat(second.errText()).contains(Integer.toString(first.port()));
    }

    @Test
    void garbageOnThePortLeavesTheServerServing() throws Exception {
        FdtServer server = at.server();
        Path source = Trees.file(at.path("f"), 100_000, 1);
        byte[] random = new byte[100_000];
        new Random(5).nextBytes(random);
        Map<String, byte[]> garbage = new TreeMap<>();
        garbage.put("nothing", new byte[0]);
        garbage.put("HTTP", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        garbage.put("random", random);
        garbage.put("zeros", new byte[100_000]);
        garbage.put("ones", "\u00ff".repeat(100_000).getBytes(StandardCharsets.ISO_8859_1));
        garbage.put("Java serialization", new byte[] {
            (byte) 0xac,
            (byte) 0xed,
            0,
            5,
            0x73,
            0x72,
            0,
            17,
            'j',
            'a',
            'v',
            'a',
            '.',
            'u',
            't',
            'i',
            'l',
            '.',
            'H',
            'a',
            's',
            'h',
            'M',
            'a',
            'p'
        });
        for (byte role = 0; role <= 3; role++) {
            garbage.put("legacy FDT, role " + role, new byte[] {role, (byte) 0xac, (byte) 0xed, 0, 5, 0x77, 4});
        }
        garbage.put("SSH", "SSH-2.0-OpenSSH_9.2\r\n".getBytes(StandardCharsets.US_ASCII));
        garbage.put("TLS that is cut off", new byte[] {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3});
        garbage.put("TLS record too long", new byte[] {0x16, 3, 3, (byte) 0xff, (byte) 0xff, 1, 2, 3});
        for (Map.Entry<String, byte[]> each : garbage.entrySet()) {
            sendAndDrop(server, each.getValue());
            assertThat(server.process().isAlive()).as(each.getKey()).isTrue();
        }
        at.copy(source, server.url("/f")).expectExit(0);
        Trees.assertSameFile(source, server.root().resolve("f"));
    }

    /** Sends bytes and then reads until the server closes the connection, for at most a second. */
    private static void sendAndDrop(FdtServer server, byte[] bytes) throws IOException {
        try (Socket socket = new Socket(InetAddress.getByName(server.host()), server.port())) {
            socket.setSoTimeout(1000);
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
        } catch (SocketException | SocketTimeoutException e) {
            // The server may close the connection in any way.
        }
    }

    @Test
    @Tag("full")
    void slowPeersDoNotBlockACopy() throws Exception {
        FdtServer server = at.server();
        List<Socket> trickling = new ArrayList<>();
        try {
            for (int i = 0; i < 200; i++) {
                Socket socket = new Socket(InetAddress.getByName(server.host()), server.port());
                trickling.add(socket);
                socket.getOutputStream().write(i % 2 == 0 ? new byte[] {0x16} : new byte[] {0x16, 3, 1});
            }
            Path source = Trees.file(at.path("f"), 10 * MIB, 1);
            at.copy(source, server.url("/f")).expectExit(0);
            // The server disconnects them at their deadline.
            Await.until(
                    "the server hangs up on all of them",
                    Workplace.LIMIT,
                    () -> trickling.stream().allMatch(ServerTest::isHungUp));
        } finally {
            for (Socket socket : trickling) {
                socket.close();
            }
        }
    }

    private static boolean isHungUp(Socket socket) {
        try {
            socket.setSoTimeout(1);
            socket.getInputStream().readAllBytes();
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void servesOverIpv6() {
        Path root = at.directory("remote");
        FdtServer server = at.rootlessServer("[::1]:0", root, "--root", root);
        Trees.small(at.path("tree"), 1);
        // Each connection has a flow label, too.
        at.copy("-P", 3, "--scitag=atlas.debug", at.path("tree"), "fdt://[::1]:" + server.port() + "/")
                .expectExit(0);
        Trees.assertSame(at.path("tree"), root.resolve("tree"));
        at.copy("-P", 3, "fdt://[::1]:" + server.port() + "/tree", at.directory("back"))
                .expectExit(0);
        Trees.assertSame(at.path("tree"), at.path("back/tree"));
    }

    @Test
    void hostNamesAreResolved() {
        FdtServer server = at.server();
        Path source = Trees.file(at.path("f"), 10, 1);
        at.copy(source, "fdt://localhost:" + server.port() + "/f").expectExit(0);
    }

    @Test
    void lanesAreSpreadOverTheGivenLocalAddresses() {
        FdtServer server = at.server();
        FaultProxy proxy = at.closing(FaultProxy.before(server.port()));
        Path source = Trees.file(at.path("f"), 40 * MIB, 1);
        // It must not end before all lanes are there.
        proxy.throttle(MIB);
        FdtProcess client =
                at.startCopy("-P", 4, "--bind", "127.0.0.2,127.0.0.3", source, server.urlAt(proxy.port(), "/f"));
        Await.until("all lanes", Workplace.LIMIT, () -> proxy.connections().size() == 5 || !client.isAlive());
        proxy.throttle(0);
        client.await(Workplace.LIMIT).expectExit(0);
        Map<String, Integer> lanes = new TreeMap<>();
        for (FaultProxy.Connection connection : proxy.connections()) {
            lanes.merge(connection.clientAddress(), 1, Integer::sum);
        }
        assertThat(lanes.get("127.0.0.2")).as(lanes.toString()).isGreaterThanOrEqualTo(2);
        assertThat(lanes.get("127.0.0.3")).as(lanes.toString()).isGreaterThanOrEqualTo(2);
    }

    @Test
    void severalRootsAreServed() {
        Path first = at.directory("first");
        Path second = at.directory("second");
        FdtServer server = at.rootlessServer("127.0.0.1:0", first, "--root", first, "--root", second);
        Path source = Trees.file(at.path("f"), 10, 1);
        at.copy(source, server.url("/first/f")).expectExit(0);
        at.copy(source, server.url("/second/g")).expectExit(0);
        Trees.assertSameFile(source, first.resolve("f"));
        Trees.assertSameFile(source, second.resolve("g"));
    }

    @Test
    void serverGrantsNoMoreLanesThanItsLimit() {
        FdtServer server = at.server("--max-lanes", "2");
        Path source = Trees.file(at.path("f"), 20 * MIB, 1);
        Outcome outcome = at.copy("-P", 8, source, server.url("/f")).expectExit(0);
        assertThat(outcome.number("lanes")).isEqualTo(2);
    }
}
