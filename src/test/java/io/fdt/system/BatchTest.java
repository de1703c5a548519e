package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code batch} with real processes: requests and answers, several at once, cancelled, and after a server is gone. */
final class BatchTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    /** Stops the server, so that all its lines are there. */
    private static List<String> sessionStarts(FdtServer server) {
        server.process().signal("TERM");
        Outcome served = server.process().await(Workplace.LIMIT).expectExit(0);
        return served.out().stream()
                .filter(line -> line.contains("\"session_start\""))
                .toList();
    }

    private static List<Map<String, Object>> of(Outcome outcome, Object id) {
        return outcome.json().stream().filter(line -> id.equals(line.get("id"))).collect(Collectors.toList());
    }

    @Test
    void answersEveryRequestOnceOverOneSession() throws IOException {
        FdtServer server = at.server();
        Path source = Trees.file(at.path("source"), 1000, 1);
        Files.writeString(server.root().resolve("a"), "a");
        Batch batch = new Batch(at, server.url(""));

        batch.send("{'id':1,'op':'mkdir','path':'/d/e','parents':true}");
        batch.await(1, "done");
        batch.send("{'id':2,'op':'copy','from':'" + source + "','to':'" + server.url("/d/f") + "','files':true}");
        batch.await(2, "done");
        batch.send("{'id':'sum','op':'sum','paths':['/a','/none'],'type':'adler32'}");
        batch.send("{'id':4,'op':'list','path':'/','recursive':true}");
        batch.send("{'id':5,'op':'stat','path':'/d/f'}");
        batch.send("{'id':6,'op':'df'}");
        batch.await(4, "done");
        batch.await(5, "done");
        batch.send("{'id':7,'op':'move','from':'/d/f','to':'/d/g'}");
        batch.await(7, "done");
        batch.send("{'id':8,'op':'copy','from':['" + server.url("/d/g") + "'],'to':'" + at.path("back")
                + "','options':['-P','1']}");
        batch.await(8, "done");
        batch.send("{'id':9,'op':'verify','args':['" + source + "','" + server.url("/d/g") + "']}");
        batch.await(9, "done");
        batch.send("{'id':10,'op':'remove','paths':['/d'],'recursive':true}");
        batch.await(10, "done");
        Outcome outcome = batch.end().expectExit(3);

        assertThat(at.path("back")).hasSameBinaryContentAs(source);
        assertThat(server.root().resolve("d")).doesNotExist();
        for (Object id : List.of(1L, 2L, "sum", 4L, 5L, 6L, 7L, 8L, 9L, 10L)) {
            assertThat(of(outcome, id))
                    .as("answers to %s", id)
                    .filteredOn(line -> List.of("done", "error").contains(line.get("type")))
                    .hasSize(1);
        }
        assertThat(of(outcome, 2L))
                .anySatisfy(
                        line -> assertThat(line).containsEntry("type", "file").containsEntry("outcome", "copied"));
        List<Map<String, Object>> sums = of(outcome, "sum");
        assertThat(sums).hasSize(3);
        assertThat(sums.get(0)).containsEntry("path", "/a").containsEntry("checksums", Map.of("adler32", "00620062"));
        assertThat(sums.get(1)).containsEntry("path", "/none").containsEntry("exit_code", 4L);
        assertThat(sums.get(2)).containsEntry("type", "error").containsEntry("exit_code", 3L);
        assertThat(of(outcome, 4L).stream().map(line -> line.get("path"))).contains("a", "d", "d/e", "d/f");
        assertThat(of(outcome, 5L).get(0)).containsEntry("bytes", 1000L);
        // One session for all operations, one for each copy, one for the verification.
        assertThat(sessionStarts(server)).hasSize(4);
    }

    /** Into a file, from its start, and into a pipe; what cannot be read or written fails its own request. */
    @Test
    void readsRangesIntoFilesAndPipes() throws Exception {
        FdtServer server = at.server();
        Path big = Trees.file(server.root().resolve("big"), 3 << 20, 1);
        byte[] bytes = Files.readAllBytes(big);
        Files.writeString(server.root().resolve("a"), "abcdef");
        Path data = Files.createFile(at.path("data"));
        Path more = Files.createFile(at.path("more"));
        Path pipe = at.path("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        FutureTask<byte[]> piped = new FutureTask<>(() -> Files.readAllBytes(pipe));
        new Thread(piped, "reader").start();
        Batch batch = new Batch(at, server.url(""));

        batch.send("{'id':1,'op':'read','path':'/a','ranges':['4:100','0:2','9:1','1:'],'into':'" + data + "'}");
        batch.send("{'id':2,'op':'read','paths':['/a','/none','/big','/a'],'ranges':['0:1','0:1','1M:1000','1:1'],"
                + "'into':'" + more + "'}");
        batch.send("{'id':3,'op':'read','path':'/big','into':'" + pipe + "'}");
        batch.send("{'id':4,'op':'read','path':'/a','into':'" + at.path("not there") + "'}");
        batch.send("{'id':5,'op':'read','paths':['/a','/big','/a'],'ranges':['0:1'],'into':'" + data + "'}");
        batch.send("{'id':6,'op':'read','path':'/a','ranges':['x'],'into':'" + data + "'}");
        batch.send("{'id':7,'op':'read','path':'/a'}");
        batch.send("{'id':8,'op':'read','path':'/big','into':'/dev/full'}");
        Outcome outcome = batch.end().expectExit(5);

        assertThat(data).hasContent("efabbcdef");
        assertThat(of(outcome, 1L).get(0)).containsEntry("type", "entry").containsEntry("bytes", 6L);
        assertThat(of(outcome, 1L).get(1)).containsEntry("type", "done").containsEntry("bytes", 9L);
        byte[] several = Files.readAllBytes(more);
        assertThat(several).hasSize(1_002).startsWith('a').endsWith('b');
        assertThat(Arrays.copyOfRange(several, 1, 1_001))
                .isEqualTo(Arrays.copyOfRange(bytes, 1 << 20, (1 << 20) + 1_000));
        assertThat(of(outcome, 2L).stream().map(line -> line.get("type")))
                .containsExactly("entry", "file", "entry", "entry", "error");
        assertThat(piped.get(Workplace.LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(bytes);
        assertThat(last(outcome, 4)).containsEntry("cause", "target").containsEntry("place", "local");
        assertThat(last(outcome, 5)).containsEntry("cause", "usage");
        assertThat(last(outcome, 6)).containsEntry("cause", "usage");
        assertThat(last(outcome, 7)).containsEntry("cause", "usage");
        assertThat(last(outcome, 8)).containsEntry("cause", "no-space");
        assertThat(sessionStarts(server)).hasSize(1);
    }

    private static Map<String, Object> last(Outcome outcome, long id) {
        List<Map<String, Object>> all = of(outcome, id);
        return all.get(all.size() - 1);
    }

    /** Neither the sums that run meanwhile, nor their session. */
    @Test
    void aPathThatIsTooLongFailsItsOwnRequestOnly() throws IOException {
        FdtServer server = at.server();
        Trees.file(server.root().resolve("big"), 8 << 20, 1);
        Path here = Trees.file(at.path("here"), 10, 2);
        Batch batch = new Batch(at, server.url(""));
        for (int id = 1; id <= 6; id++) {
            batch.send("{'id':" + id + ",'op':'sum','paths':['/big'],'type':'sha256'}");
        }
        String longest = "/" + "a/".repeat(2_046) + "bc";
        batch.send("{'id':7,'op':'stat','path':'" + longest + "'}");
        batch.send("{'id':8,'op':'sum','path':'" + longest + "'}");
        int last = 8;
        for (String path : List.of(longest + "d", "/" + "a/".repeat(34_999) + "b")) {
            for (String request : List.of(
                    "'op':'stat','path':'" + path + "'",
                    "'op':'sum','path':'" + path + "'",
                    "'op':'list','path':'" + path + "'",
                    "'op':'verify','args':['" + here + "','" + server.url(path) + "']",
                    "'op':'copy','from':'" + here + "','to':'" + server.url(path) + "'",
                    "'op':'copy','from':'" + server.url(path) + "','to':'" + at.path("back") + "'")) {
                batch.send("{'id':" + ++last + "," + request + "}");
            }
        }
        Outcome outcome = batch.end().expectExit(4);

        for (long id = 1; id <= last; id++) {
            List<Map<String, Object>> answers = of(outcome, id);
            Map<String, Object> end = answers.get(answers.size() - 1);
            if (id <= 6) {
                assertThat(end).as("a sum: %s", answers).containsEntry("type", "done");
            } else {
                assertThat(end)
                        .as("request %s", id)
                        .containsEntry("type", "error")
                        .containsEntry("cause", id <= 8 ? "missing" : "path-too-long");
                assertThat(String.valueOf(end.get("path"))).endsWith(id <= 8 ? "bc" : id <= 14 ? "bcd" : "/b");
            }
        }
        assertThat(sessionStarts(server)).as("of all operations").hasSize(1);
    }

    @Test
    void copiesInTurnComeOverOneConnection() throws IOException {
        FdtServer server = at.server();
        Path source = Trees.file(at.path("source"), 1, 1);
        Batch batch = new Batch(at, server.url(""));

        for (int id = 1; id <= 3; id++) {
            batch.send("{'id':" + id + ",'op':'copy','from':'" + source + "','to':'" + server.url("/" + id) + "'}");
            batch.await(id, "done");
        }
        batch.end().expectExit(0);

        List<String> peers = sessionStarts(server).stream()
                .map(line -> line.replaceAll(".*\"peer\":\"([^\"]*)\".*", "$1"))
                .toList();
        assertThat(peers).hasSize(3).allMatch(peer -> peer.matches("[0-9.]+:[0-9]+"));
        assertThat(Set.copyOf(peers)).as("addresses of the client").hasSize(1);
    }

    @Test
    void refusesInvalidRequestsAndContinues() throws IOException {
        FdtServer server = at.server();
        Batch batch = new Batch(at, server.url(""));

        batch.send("not json");
        batch.send("{'op':'stat','path':'/'}");
        batch.send("{'id':1,'op':'fly'}");
        batch.send("{'id':2,'op':'stat','pth':'/'}");
        batch.send("{'id':3,'op':'stat'}");
        batch.send("{'id':4,'op':'cancel','request':77}");
        batch.send("{'id':5,'op':'copy','from':'-','to':'" + server.url("/x") + "'}");
        batch.send("{'id':6,'op':'sum','path':'/','type':'crc64'}");
        batch.send("{'id':8,'op':'copy','from':'" + at.directory("daq") + "','to':'" + server.url("/x")
                + "','options':['--watch']}");
        batch.send("{'id':7,'op':'stat','path':'/'}");
        batch.await(7, "done");
        Outcome outcome = batch.end().expectExit(2);

        assertThat(outcome.json())
                .filteredOn(line -> "error".equals(line.get("type")))
                .hasSize(9)
                .allSatisfy(
                        line -> assertThat(line).containsEntry("exit_code", 2L).containsKey("message"))
                .noneSatisfy(line -> assertThat(line.get("message").toString()).contains("StreamReadFeature"));
        assertThat(outcome.errText()).isEmpty();
    }

    @Test
    void cancelsACopyWhileOthersRunAndReportsProgress() throws IOException {
        FdtServer server = at.server();
        Batch batch = new Batch(at, server.url(""));
        batch.send("{'id':1,'op':'copy','from':'/dev/zero','to':'" + server.url("/dev/null")
                + "','options':['--duration','10m','--rate-limit','80Mbit']}");
        batch.await(1, "progress");
        batch.send("{'id':2,'op':'stat','path':'/'}");
        batch.await(2, "done");

        batch.send("{'id':3,'op':'cancel','request':1}");
        batch.await(3, "done");
        assertThat(batch.await(1, "error")).contains("\"exit_code\":130");
        batch.end().expectExit(130);
    }

    /** The program that sent them was killed, and may be started again. */
    @Test
    void copiesEndWithTheReaderOfTheirAnswers() throws IOException {
        FdtServer server = at.server();
        Path source = Trees.file(at.path("source"), 200 << 20, 1);
        Files.writeString(
                at.path("request"),
                "{\"id\":1,\"op\":\"copy\",\"from\":\"" + source + "\",\"to\":\"" + server.url("/f")
                        + "\",\"options\":[\"--rate-limit\",\"1MiB/s\"]}\n");
        FdtProcess.Setup setup =
                at.setupThroughBash("batch", "\"$@\" <request | head -n 1 >first; exit ${PIPESTATUS[0]}", "batch");
        at.track(FdtProcess.start(setup)).await(Duration.ofSeconds(60)).expectExit(143);
        assertThat(at.path("first")).content().contains("\"progress\"");
        assertThat(server.root().resolve("f")).doesNotExist();
    }

    @Test
    void aRequestAfterTheServerWasStartedAgainOpensAnotherSession() throws IOException {
        FdtServer first = at.serverThatComesBack();
        Path root = first.root();
        int port = Integer.parseInt(first.url("").replaceAll(".*:", ""));
        Batch batch = new Batch(at, "--timeout", "30s", first.url(""));
        batch.send("{'id':1,'op':'stat','path':'/'}");
        batch.await(1, "done");

        first.process().signal("TERM");
        first.process().await(Workplace.LIMIT).expectExit(0);
        batch.send("{'id':2,'op':'stat','path':'/'}");
        assertThat(batch.await(2, "error")).containsAnyOf("\"exit_code\":8", "\"exit_code\":9");
        FdtServer second = at.rootlessServer("127.0.0.1:" + port, root, "--root", root);
        batch.send("{'id':3,'op':'stat','path':'/'}");
        batch.await(3, "done");
        batch.end();
        assertThat(second.process().isAlive()).isTrue();
    }

    @Test
    void aConnectionThatNoRequestUsesEnds() throws Exception {
        FdtServer server = at.server();
        Path source = Trees.file(at.path("source"), 1, 1);
        AtomicLong now = new AtomicLong();
        Pipe there = Pipe.open();
        Pipe back = Pipe.open();
        FutureTask<Integer> batch = new FutureTask<>(() -> at.run(
                now::get,
                List.of("batch", server.url("")),
                Channels.newInputStream(there.source()),
                Channels.newOutputStream(back.sink()),
                new ByteArrayOutputStream()));
        new Thread(batch, "batch").start();
        OutputStream requests = Channels.newOutputStream(there.sink());
        BufferedReader lines = new BufferedReader(Channels.newReader(back.source(), StandardCharsets.UTF_8));

        Set<String> ended = new HashSet<>();
        String copy = "{'id':2,'op':'copy','from':'" + source + "','to':'" + server.url("/x") + "'}\n";
        for (String request : List.of("{'id':1,'op':'stat','path':'/'}\n", copy, "{'id':3,'op':'df'}\n")) {
            requests.write(request.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
            String line = lines.readLine();
            while (!line.contains("\"done\"")) {
                line = lines.readLine();
            }
            now.addAndGet(TimeUnit.SECONDS.toNanos(61));
            ended.add(server.process()
                    .awaitLine(Workplace.LIMIT, event -> event.contains("\"session_end\"") && !ended.contains(event)));
        }
        requests.close();
        assertThat(batch.get(Workplace.LIMIT.toSeconds(), TimeUnit.SECONDS)).isZero();
    }
}
