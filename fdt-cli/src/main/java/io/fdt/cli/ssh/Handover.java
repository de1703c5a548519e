package io.fdt.cli.ssh;

import io.fdt.core.failure.Cause;
import io.fdt.core.plan.RawPath;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The line that a server started over ssh writes when it is ready. It is sent inside the ssh connection, so it may
 * contain the key.
 *
 * @param directory in which the server runs; the user's relative paths start there
 * @param keyLine admits to this server and contains its fingerprint
 */
public record Handover(int port, RawPath directory, String keyLine) {
    private static final String MARK = "fdt-over-ssh ";
    private static final int VERSION = 1;
    private static final int FIELDS = 4;

    public String toLine() {
        return MARK + VERSION + " " + port + " " + HexFormat.of().formatHex(directory.toBytes()) + " " + keyLine;
    }

    /** Returns the absolute path on the remote host. A single dot becomes the directory with a trailing slash. */
    public RawPath below(RawPath path) {
        if (path.isAbsolute()) {
            return path;
        }
        return path.equals(RawPath.ofText(".")) ? RawPath.ofText(directory.text() + "/") : directory.resolve(path);
    }

    /**
     * Returns null for any other line, such as the greeting of a login script; throws VERSION if the remote end uses
     * another version.
     */
    static @Nullable Handover parse(String line) {
        if (!line.startsWith(MARK)) {
            return null;
        }
        String[] fields = line.substring(MARK.length()).split(" ", FIELDS);
        if (!fields[0].equals(String.valueOf(VERSION))) {
            throw Cause.VERSION
                    .advise("install the same release on both hosts")
                    .failure("the remote host has another release of fdt");
        }
        try {
            int port = Integer.parseInt(fields[1]);
            if (port < 1 || port > 65_535) {
                throw new IllegalArgumentException("port " + port);
            }
            return new Handover(port, RawPath.ofBytes(HexFormat.of().parseHex(fields[2])), fields[3]);
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw Cause.NO_REMOTE_FDT.failure("the first line from the remote end is not from fdt", e);
        }
    }
}
