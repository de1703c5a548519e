package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import io.fdt.core.budget.Resource;
import io.fdt.core.budget.ServerCharges;
import io.fdt.core.hostile.ManySubjects;
import io.fdt.core.token.TestIssuer;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many subjects of an issuer at one server. */
final class ManySubjectsTest extends TokenFixture {
    private static final int SUBJECTS = Integer.getInteger("fdt.subjects", 300);

    /** Live objects and time series do not become more with each subject, and a client with a key is always served. */
    @Test
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void subjectsLeaveNothingBehindAndRoomForAKey() throws IOException {
        TestIssuer signer = TestIssuer.es256("e1");
        Path published = TestIssuer.publish(at.path("published.json"), signer);
        at.environment("JAVA_TOOL_OPTIONS", "-Xmx256m -XX:+ExitOnOutOfMemoryError");
        FdtServer server = server(
                "--issuer", TestIssuer.URL + "=" + published, "--audience", "dtn.example", "--monitor", "127.0.0.1:0");
        URI metrics = URI.create(String.valueOf(Json.object(server.process()
                                .awaitLine(Workplace.LIMIT, line -> line.contains("\"type\":\"monitor\"")))
                        .get("url")))
                .resolve("/metrics");
        ServerCharges charges = new ServerCharges(server.process().pid());
        Map<Resource, Long> chargedBefore = charges.all();
        Path source = Trees.file(at.path("f"), 300_000, 1);
        long now = Instant.now().getEpochSecond();
        int step = Math.min(1000, SUBJECTS / 3);
        long liveBefore = 0;
        long seriesBefore = 0;
        double longest = 0;
        try (ManySubjects subjects = new ManySubjects(
                new InetSocketAddress("localhost", server.port()),
                issuer.resolve("ca.pem"),
                number -> signer.sign(TestIssuer.claims(now, "storage.read:/")
                        .with("sub", "subject-" + number)
                        .with("exp", now + 86_400)))) {
            for (int count = step; count <= SUBJECTS; count += step) {
                FdtProcess copy = at.startCopy("--existing", "overwrite", source, server.url("/f"));
                subjects.listUntil(count);
                longest = Math.max(
                        longest, copy.await(Workplace.LIMIT).expectExit(0).seconds());
                if (count == step) {
                    liveBefore = liveBytes(server);
                    seriesBefore = Browser.get(metrics).lines().count();
                }
            }
        }
        Await.until(
                () -> "everything is given back, but: " + charges.all() + " instead of " + chargedBefore,
                () -> charges.all().equals(chargedBefore));
        long live = liveBytes(server);
        long series = Browser.get(metrics).lines().count();
        System.err.printf(
                "%d subjects in %d s: live objects %d and then %d bytes, lines of metrics %d and then %d, %d kB"
                        + " resident; the longest of %d copies by key took %.1f s%n",
                SUBJECTS,
                Instant.now().getEpochSecond() - now,
                liveBefore,
                live,
                seriesBefore,
                series,
                SecurityTest.residentKib(server),
                SUBJECTS / step,
                longest);
        assertThat(live).isLessThan(liveBefore + (8 << 20));
        assertThat(series).isLessThan(seriesBefore + 100);
    }

    private static long liveBytes(FdtServer server) {
        String histogram = Shell.ok("jcmd", server.process().pid(), "GC.class_histogram");
        String[] total = histogram.strip().split("\\s+", -1);
        return Long.parseLong(total[total.length - 1]);
    }
}
