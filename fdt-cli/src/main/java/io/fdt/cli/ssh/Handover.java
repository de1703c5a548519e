package io.fdt.cli.ssh;

import io.fdt.core.FailureKind;
import io.fdt.core.plan.RawPath;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The one line that a server which was started over ssh writes when it is ready. It travels inside the ssh connection,
 * so it may hold the key.
 *
 * @param port where the server listens
 * @param directory in which it runs; relative paths of the user begin there
 * @param keyLine what admits to this server and names its fingerprint
 */
public record Handover(int port, RawPath directory, String keyLine) {
    private static final String MARK = "fdt-over-ssh ";
    private static final int VERSION = 1;
    private static final int FIELDS = 4;

    public String toLine() {
        return MARK + VERSION + " " + port + " " + HexFormat.of().formatHex(directory.toBytes()) + " " + keyLine;
    }

    /** A path of the remote end from its root on. A dot alone is the directory itself. */
    public RawPath below(RawPath path) {
        if (path.isAbsolute()) {
            return path;
        }
        return path.equals(RawPath.ofText(".")) ? RawPath.ofText(directory.text() + "/") : directory.resolve(path);
    }

    /** Null for another line, such as the greeting of a login script; throws VERSION for another version there. */
    static @Nullable Handover parse(String line) {
        if (!line.startsWith(MARK)) {
            return null;
        }
        String[] fields = line.substring(MARK.length()).split(" ", FIELDS);
        if (!fields[0].equals(String.valueOf(VERSION))) {
            throw FailureKind.VERSION.failure(
                    "the remote host has another release of fdt; install the same release on both hosts");
        }
        try {
            int port = Integer.parseInt(fields[1]);
            if (port < 1 || port > 65_535) {
                throw new IllegalArgumentException("port " + port);
            }
            return new Handover(port, RawPath.ofBytes(HexFormat.of().parseHex(fields[2])), fields[3]);
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw FailureKind.CANNOT_CONNECT.failure("the first line from the remote end is not from fdt", e);
        }
    }
}
