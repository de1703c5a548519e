package io.fdt.cli.nettest;

import io.fdt.core.FailureKind;
import io.fdt.core.NewFile;
import io.fdt.core.TransferException;
import io.fdt.core.nettest.LatencyResult;
import io.fdt.core.nettest.LatencyResult.Point;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The percentiles of a ping-pong as the tables that HdrHistogram's plotters read: a table a file, a file a size. */
final class HdrFiles {
    private HdrFiles() {}

    /** With more than one size, each has a file whose name ends with it: {@code out.hdr.128}. */
    static void write(Path file, LatencyResult result) {
        boolean several = result.points().size() > 1;
        for (Point point : result.points()) {
            Path target = several ? Path.of(file + "." + point.sizeBytes()) : file;
            ByteArrayOutputStream table = new ByteArrayOutputStream();
            point.latencies().writePercentiles(new PrintStream(table, true, StandardCharsets.UTF_8));
            try {
                NewFile.write(target, table.toByteArray());
            } catch (IOException e) {
                throw new TransferException(FailureKind.TARGET, "cannot write " + target + ": " + e.getMessage(), e);
            }
        }
    }
}
