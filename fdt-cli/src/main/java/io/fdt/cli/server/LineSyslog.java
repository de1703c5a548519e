package io.fdt.cli.server;

import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * Sends lines to the syslog of this host, which systemd-journald or rsyslog reads: a datagram each, with the facility
 * {@code daemon}, the priority {@code info} and the name {@code fdt-transfers}. For one thread.
 */
final class LineSyslog implements LineSink {
    static final RawPath SOCKET = RawPath.ofText("/dev/log");

    private static final String HEAD =
            "fdt-transfers[" + ProcessHandle.current().pid() + "]: ";
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("'<30>'MMM ppd HH:mm:ss ", Locale.ROOT);
    /** A reader that restarts or is slow has this time for the first line that finds no room, and none for the next. */
    private static final int TRIES = 100;

    private static final long PAUSE_MS = 20;

    private final RawPath socket;
    private boolean failing;

    LineSyslog(RawPath socket) {
        this.socket = socket;
    }

    @Override
    public String place() {
        return "syslog (" + socket.display() + ")";
    }

    @Override
    public void write(byte[] line) throws IOException {
        byte[] head =
                (TIME.format(LocalDateTime.now(ZoneId.systemDefault())) + HEAD).getBytes(StandardCharsets.US_ASCII);
        byte[] message = new byte[head.length + line.length - 1];
        System.arraycopy(head, 0, message, 0, head.length);
        System.arraycopy(line, 0, message, head.length, line.length - 1);
        for (int tries = failing ? TRIES : 1; ; tries++) {
            if (ServiceNotice.Datagrams.send(socket, message)) {
                failing = false;
                return;
            }
            if (tries >= TRIES) {
                failing = true;
                throw new IOException("nothing reads it");
            }
            pause();
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the server ends", e);
        }
    }

    @Override
    public void close() {}
}
