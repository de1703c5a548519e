package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import io.fdt.system.Route.Direction;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.Adler32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Checksums are right after damage and kills, and a server logs them. */
final class ChecksumTest {
    private static final int MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    private static String sum(Checksum of, Path file) {
        try {
            of.update(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return "%08x".formatted(of.getValue());
    }

    private static Map<String, String> sums(Path file) {
        return Map.of("adler32", sum(new Adler32(), file), "crc32c", sum(new CRC32C(), file));
    }

    private static void assertTells(Outcome copy, String path, Path file) {
        assertThat(copy.jsonOfType("file"))
                .filteredOn(each -> each.get("path").equals(path))
                .singleElement()
                .satisfies(each -> assertThat(each).containsEntry("checksums", sums(file)));
    }

    @EachWay
    void areRightAfterABitWasFlippedOnTheWay(Direction direction) {
        Route direct = Route.of(at, direction, "--clear-lanes", "allow");
        Trees.file(direct.sourcePath("big"), 20 * MIB + 7, 1);
        try (FaultProxy proxy = FaultProxy.before(direct.server().port())) {
            Fault.Way way = direction == Direction.PUSH ? Fault.Way.TO_SERVER : Fault.Way.TO_CLIENT;
            // One of the two lanes may have carried everything before the other one has joined.
            proxy.script(new Fault.FlipBit(1, way, 3 * MIB + 77, 4), new Fault.FlipBit(2, way, 3 * MIB + 77, 4));
            Route route = direct.through(proxy);

            Outcome copy = at.fdt(
                            "client",
                            "--json=files",
                            "--clear-lanes",
                            "--checksum",
                            "adler32,crc32c",
                            "-P",
                            2,
                            route.source("big"),
                            route.target(""))
                    .expectExit(0);

            assertThat(copy.number("bytes_resent")).isPositive();
            assertTells(copy, "big", direct.sourcePath("big"));
        }
    }

    @EachWay
    void areRightAfterAKillAndInTheTransferLog(Direction direction) throws IOException {
        Path log = at.path("transfers.log");
        Route route = Route.of(at, direction, "--transfer-log", log);
        Trees.file(route.sourcePath("big"), 20 * MIB + 7, 1);
        Object[] command = {
            "--checksum", "adler32,crc32c", "--chunk-size", "128KiB", route.source("big"), route.target("")
        };
        FdtProcess client = at.startCopy(with(command, "--rate-limit", "1MB/s"));
        client.awaitAcknowledged(Workplace.LIMIT, 2 * MIB);
        client.killHard();
        client.await(Workplace.LIMIT);

        Outcome rerun =
                at.fdt(with(new Object[] {"client", "--json=files"}, command)).expectExit(0);

        assertThat(rerun.number("bytes_resumed")).isGreaterThanOrEqualTo(MIB);
        assertTells(rerun, "big", route.sourcePath("big"));
        route.server().process().awaitErrorLine(Workplace.LIMIT, text -> text.contains("ended ok"));
        String sums = sums(route.sourcePath("big")).get("adler32");
        Await.until(
                "the log has the checksum", Workplace.LIMIT, () -> text(log).contains("\"adler32\":\"" + sums + "\""));
    }

    /** Neither side of the command line names any. */
    @EachWay
    void areThoseThatTheServerWants(Direction direction) throws IOException {
        Path log = at.path("transfers.log");
        Path receipt = at.path("receipt.json");
        Route route = Route.of(at, direction, "--transfer-log", log, "--checksum", "adler32");
        Trees.file(route.sourcePath("big"), 20 * MIB + 7, 1);
        String sum = sums(route.sourcePath("big")).get("adler32");
        at.copy("--receipt", receipt, route.source("big"), route.target("")).expectExit(0);
        assertThat(text(receipt)).contains("\"checksums\":{\"adler32\":\"" + sum + "\"}");
        Await.until(
                "the log has the checksum", Workplace.LIMIT, () -> text(log).contains("\"adler32\":\"" + sum + "\""));
        at.copy("--receipt", receipt, "--existing=overwrite", "--checksum=crc32", route.source("big"), route.target(""))
                .expectExit(0);
        assertThat(text(receipt)).contains("\"checksums\":{\"adler32\":\"" + sum + "\",\"crc32\":");
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Object[] with(Object[] first, Object... rest) {
        Object[] all = Arrays.copyOf(first, first.length + rest.length);
        System.arraycopy(rest, 0, all, first.length, rest.length);
        return all;
    }

    /** Input of unknown length is a file at the target. */
    @Test
    void ofStandardInputAreThoseOfTheFileThatItBecomes() {
        FdtServer server = at.server();
        Trees.file(at.path("f"), 3 * MIB + 1, 1);

        FdtProcess.Setup setup = at.setupThroughBash(
                "client",
                "exec \"$@\" <" + at.path("f"),
                "client",
                "--json=files",
                "--checksum",
                "adler32,crc32c",
                "-",
                server.url("/piped"));
        Outcome copy = at.track(FdtProcess.start(setup)).await(Workplace.LIMIT).expectExit(0);

        assertThat(copy.jsonOfType("file"))
                .singleElement()
                .satisfies(each -> assertThat(each).containsEntry("checksums", sums(at.path("f"))));
    }
}
