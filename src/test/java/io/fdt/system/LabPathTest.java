package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A path whose losses limit a lane to a small part of the rate of the hosts, and a path on which a lane is lost. */
@Tag("lab")
final class LabPathTest {
    private static final long MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    /** In a pull the server finds the number of lanes, and the client opens them. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCopyFindsHowManyLanesALossyPathNeeds(boolean push) throws IOException {
        LabHost near = at.closing(LabHost.named("near"));
        LabHost far = at.closing(LabHost.named("far"));
        LabHost.join(near, far, "wire");
        near.up("wire", "10.78.0.1/24");
        far.up("wire", "10.78.0.2/24");
        (push ? near : far).ok("bash", "-c", "tc qdisc add dev wire root netem limit 10000 delay 40ms loss 1%");
        FdtServer server = far.serve(at, "10.78.0.2");

        FdtProcess client = near.startCopy(
                at,
                "--duration",
                "1h",
                "--timeout",
                "60s",
                "--digest",
                "none",
                push ? "/dev/zero" : server.url("/dev/zero"),
                push ? server.url("/dev/null") : "/dev/null");
        // Rounds of measuring are as long as an emulated host makes them.
        client.awaitLine(
                Workplace.LIMIT,
                line -> line.contains("\"progress\"")
                        && Json.object(line).get("lanes") instanceof Long lanes
                        && lanes > 4);
        client.signal("INT");
        Outcome outcome = client.await(Workplace.LIMIT).expectExit(130);
        assertThat(outcome.out()).noneMatch(line -> line.contains("lanes_replaced"));
    }

    /**
     * Without this the kernel would retry for minutes, and the copy would wait even longer for its own timeout. The
     * server detects the problem first, because it sends, and makes the client dial again.
     */
    @Test
    void aLaneWhosePacketsGoNowhereIsDialledAgain() throws IOException {
        LabHost near = at.closing(LabHost.named("near"));
        LabHost far = at.closing(LabHost.named("far"));
        LabHost.join(near, far, "wire");
        near.up("wire", "10.78.0.1/24");
        far.up("wire", "10.78.0.2/24");
        FdtServer server = far.serve(at, "10.78.0.2");
        Path local = at.directory("local");
        Trees.file(server.root().resolve("big"), 128 * MIB, 1);

        // Eight minutes, so that it is still running on a host where each of these commands takes seconds.
        FdtProcess copy = near.startCopy(
                at,
                "-P",
                4,
                "--timeout",
                "1h",
                "--rate-limit",
                "256KiB",
                "--chunk-size",
                "128KiB",
                server.url("/"),
                local + "/");
        LabBondTest.await("lanes are at work", copy, () -> near.receivedBytes("wire") > MIB);
        long opened = near.tcp("ActiveOpens");
        String port = busiestPort(near);
        drop(near, "sport", port);
        drop(far, "dport", port);
        LabBondTest.await("a lane is dialled again", copy, () -> near.tcp("ActiveOpens") > opened);

        long received = near.receivedBytes("wire");
        LabBondTest.await("the copy goes on", copy, () -> near.receivedBytes("wire") > received + MIB);
        LabBondTest.finish(at, copy, near, server.url("/"), local + "/");
        Trees.assertSame(server.root(), local);
        assertThat(near.ok("tc", "-s", "filter", "show", "dev", "wire", "egress"))
                .containsPattern("dropped [1-9]");
    }

    private static void drop(LabHost host, String side, String port) {
        host.ok("tc", "qdisc", "add", "dev", "wire", "clsact");
        host.ok(
                "bash",
                "-c",
                "tc filter add dev wire egress protocol ip u32 match ip " + side + " " + port + " 0xffff action drop");
    }

    /** Returns the local port of the connection to the server that has moved the most data: a lane. */
    private static String busiestPort(LabHost near) {
        Pattern moved = Pattern.compile("bytes_received:([0-9]+)");
        String line = near.ok("ss", "-tinHO", "state", "established", "dst", "10.78.0.2")
                .lines()
                .max(Comparator.comparingLong(connection -> {
                    Matcher figure = moved.matcher(connection);
                    return figure.find() ? Long.parseLong(figure.group(1)) : 0;
                }))
                .orElseThrow();
        Matcher port = Pattern.compile("10\\.78\\.0\\.1]?:([0-9]+)").matcher(line);
        assertThat(port.find()).as(line).isTrue();
        return port.group(1);
    }
}
