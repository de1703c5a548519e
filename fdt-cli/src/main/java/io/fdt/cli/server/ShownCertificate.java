package io.fdt.cli.server;

import io.fdt.cli.option.ServerOptions;
import io.fdt.cli.option.Settings;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.run.Threads;
import io.fdt.core.security.ServerCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The certificate that a server shows to clients with tokens. Its own thread, {@code fdt-certificate}, looks at the
 * files once a second, and reads them again after a change. Files that do not fit together, as while they are being
 * replaced, are reported if they stay so, and change nothing. Thread-safe.
 */
final class ShownCertificate implements Supplier<ServerCertificate>, AutoCloseable {
    private static final long LOOK_MS = 1_000;

    private final Path chain;
    private final Path key;
    private final Consumer<String> warnings;
    private final SynchronousQueue<Boolean> asked = new SynchronousQueue<>();
    private final Thread thread = Threads.daemon("fdt-certificate", this::look);
    private volatile ServerCertificate shown;
    private volatile Consumer<ServerCertificate> onRead = noOtherProcess -> {};

    // Used only by the thread, after the constructor.
    private List<Map<String, Object>> state;
    private String failed = "";

    private ShownCertificate(Path chain, Path key, Consumer<String> warnings) {
        this.chain = chain;
        this.key = key;
        this.warnings = warnings;
        this.state = state();
        this.shown = ServerCertificate.read(chain, key);
    }

    /** Null without the options. Throws what is wrong with the files; an expired certificate is a warning. */
    static @Nullable ShownCertificate of(Settings settings, Consumer<String> warnings) {
        Path chain = settings.file(ServerOptions.CERTIFICATE);
        Path key = settings.file(ServerOptions.CERTIFICATE_KEY);
        if ((chain == null) != (key == null)) {
            throw Cause.USAGE.failure("--certificate and --certificate-key need each other");
        }
        return chain == null || key == null ? null : new ShownCertificate(chain, key, warnings);
    }

    /** Passes the certificate on, now and after each change. */
    void passOn(Consumer<ServerCertificate> to) {
        onRead = to;
        to.accept(shown);
    }

    /** Begins to look at the files. */
    void begin() {
        warnIfExpired(shown);
        Threads.start(thread);
    }

    @Override
    public ServerCertificate get() {
        return shown;
    }

    List<Path> files() {
        return List.of(chain, key);
    }

    /** Has the files read now, even if they look unchanged. Any thread. */
    void reload() {
        boolean unused = asked.offer(true);
    }

    private void look() throws InterruptedException {
        while (true) {
            boolean told = asked.poll(LOOK_MS, TimeUnit.MILLISECONDS) != null;
            List<Map<String, Object>> now = state();
            if (told || !failed.isEmpty() || !now.equals(state)) {
                read(now);
            }
        }
    }

    private void read(List<Map<String, Object>> now) {
        try {
            ServerCertificate read = ServerCertificate.read(chain, key);
            shown = read;
            onRead.accept(read);
            state = now;
            failed = "";
            warnIfExpired(read);
        } catch (TransferException unusable) {
            String reason = String.valueOf(unusable.getMessage());
            if (reason.equals(failed)) {
                warnings.accept(reason + "; until then the server shows the certificate that it has");
                // Reported once.
                state = now;
                failed = "";
            } else {
                failed = reason;
            }
        }
    }

    private void warnIfExpired(ServerCertificate read) {
        if (read.ends().isBefore(Instant.now())) {
            warnings.accept("the certificate in " + chain + " expired at " + read.ends()
                    + ", so clients with tokens do not trust this server");
        }
    }

    private List<Map<String, Object>> state() {
        return List.of(state(chain), state(key));
    }

    private static Map<String, Object> state(Path file) {
        try {
            return Files.readAttributes(file, "unix:ino,ctime,size");
        } catch (IOException none) {
            return Map.of();
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
