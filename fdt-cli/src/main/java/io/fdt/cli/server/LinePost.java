package io.fdt.cli.server;

import io.fdt.core.basic.Figures;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.run.Threads;
import io.fdt.monitor.push.HttpPost;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Sends lines to a receiver by HTTP, in batches that wait on disk until it has accepted them. Its thread, {@code
 * fdt-transfer-log-post}, repeats a batch until then, so a batch whose answer was lost arrives twice.
 */
final class LinePost implements LineSink {
    static final String TOKEN = "FDT_TRANSFER_LOG_TOKEN";

    private static final long SPOOL_BYTES = 1L << 30;
    private static final long GATHER_MS = 1_000;
    private static final long FIRST_PAUSE_MS = 1_000;
    private static final long LONGEST_PAUSE_MS = 30_000;
    private static final int REQUEST_MS = 10_000;
    private static final long CLOSE_MS = 2_000;

    private final URI receiver;
    private final Map<String, String> headers;
    private final LineSpool spool;
    private final Consumer<String> warnings;
    private final Thread sender = Threads.daemon("fdt-transfer-log-post", this::sendAll);
    private boolean warned;

    /**
     * @param home the directory of fdt, where the lines wait
     * @param token empty for none
     */
    LinePost(URI receiver, String token, Path home, Consumer<String> warnings) {
        this.receiver = receiver;
        this.warnings = warnings;
        String type = "application/x-ndjson";
        this.headers = token.isEmpty()
                ? Map.of("Content-Type", type)
                : Map.of("Content-Type", type, "Authorization", "Bearer " + token);
        try {
            spool = LineSpool.open(home, receiver.toString(), SPOOL_BYTES, GATHER_MS);
        } catch (IOException e) {
            throw Cause.NO_RECORD.failure(
                    "cannot open the spool of the transfer log in " + home + ": " + TransferException.reason(e), e);
        }
        Threads.start(sender);
    }

    @Override
    public void keepReachable(ReachableFiles files) {
        files.changing(spool.directory());
    }

    @Override
    public String place() {
        return receiver.toString();
    }

    @Override
    public void write(byte[] line) throws IOException {
        spool.append(line);
    }

    private void sendAll() throws InterruptedException {
        long pauseMs = FIRST_PAUSE_MS;
        for (LineSpool.Batch batch = spool.oldest(); batch != null; batch = spool.oldest()) {
            try {
                if (Files.exists(batch.file())) {
                    HttpPost.send(receiver, headers, Files.readAllBytes(batch.file()), REQUEST_MS);
                }
                spool.remove(batch);
                pauseMs = FIRST_PAUSE_MS;
                warned = false;
            } catch (IOException | RuntimeException failure) {
                warn(failure);
                if (spool.isEnding()) {
                    return;
                }
                spool.awaitEnd(pauseMs);
                pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
            }
        }
    }

    /** Once until it works again. */
    private void warn(Exception failure) {
        if (!warned) {
            warned = true;
            warnings.accept("cannot send the transfer log to " + receiver + ": " + TransferException.reason(failure)
                    + "; its lines wait in " + spool.directory() + ", up to " + Figures.bytes(SPOOL_BYTES));
        }
    }

    @Override
    public void close() throws IOException {
        spool.end();
        Threads.join(sender, CLOSE_MS);
        sender.interrupt();
        spool.close();
    }
}
