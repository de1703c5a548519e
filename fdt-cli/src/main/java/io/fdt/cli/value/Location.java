package io.fdt.cli.value;

import io.fdt.cli.ssh.SshHost;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A source or target as users write it.
 *
 * @param server null for a local path and for one over ssh
 * @param ssh the host on which ssh starts the remote end, or null
 * @param path for a server, everything from the slash after the address on; over ssh, everything after the colon. Not
 *     percent-decoded; empty if nothing follows the address
 */
public record Location(@Nullable HostPort server, @Nullable SshHost ssh, RawPath path) {
    public static final String SCHEME = "fdt://";

    /** Parses a location. {@code HOST:/PATH} is over ssh unless a local file has that name. */
    public static Location parse(String text) throws BadValueException {
        if (text.isEmpty()) {
            throw new BadValueException("the path is empty; write . for the current directory");
        }
        if (!text.startsWith(SCHEME)) {
            SshHost.SshPath place = SshHost.parse(text);
            return place == null || (place.host().user().isEmpty() && isLocalFile(text))
                    ? new Location(null, null, RawPath.ofText(text))
                    : new Location(null, place.host(), RawPath.ofText(fromHome(place.path())));
        }
        String rest = text.substring(SCHEME.length());
        int slash = rest.indexOf('/');
        HostPort server = HostPort.parse(slash < 0 ? rest : rest.substring(0, slash));
        return new Location(server, null, RawPath.ofText(slash < 0 ? "" : rest.substring(slash)));
    }

    /** Parses an operand of a command; throws USAGE. */
    public static Location ofOperand(String text) {
        try {
            return parse(text);
        } catch (BadValueException e) {
            throw UserText.refusal(UserText.quoted(text) + ": " + e.expected());
        }
    }

    /** @throws TransferException USAGE for a name that Java cannot represent in this locale */
    public static Path local(String text) {
        Path path = localOrNull(text);
        if (path == null) {
            throw UserText.refusal("Java cannot open " + UserText.quoted(text) + " in this locale");
        }
        return path;
    }

    /** Returns null for a name that Java cannot represent in this locale. */
    public static @Nullable Path localOrNull(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException notInThisLocale) {
            return null;
        }
    }

    /** Returns the address of a server that a local path was perhaps meant to be; null for a local file. */
    public static @Nullable String ofServer(String text) {
        int slash = text.indexOf('/');
        try {
            HostPort.parse(slash < 0 ? text : text.substring(0, slash));
        } catch (BadValueException otherForm) {
            return null;
        }
        return text.startsWith(".") || isLocalFile(text) ? null : SCHEME + text + (slash < 0 ? "/" : "");
    }

    /** Whether a local file has exactly this name. */
    public static boolean isLocalFile(String text) {
        Path path = localOrNull(text);
        return path != null && Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Returns the path relative to the remote home, where relative paths start, as in the shells that rsync and scp
     * use.
     */
    private static String fromHome(String path) throws BadValueException {
        if (path.startsWith("~") && !path.equals("~") && !path.startsWith("~/")) {
            throw new BadValueException("~USER is not supported; write the path");
        }
        String relative = path.startsWith("~") ? path.substring(Math.min(2, path.length())) : path;
        return relative.isEmpty() ? "." : relative;
    }

    /** Returns the path, or the whole export if nothing follows the address of a server. */
    public RawPath pathOrTop() {
        return path.isEmpty() ? RawPath.ofText("/") : path;
    }

    public boolean isRemote() {
        return server != null || ssh != null;
    }

    /** Whether both are in the same place: on this host, at one server, or on one ssh host. */
    public boolean isBeside(Location other) {
        if (server == null || other.server == null) {
            return Objects.equals(server, other.server) && Objects.equals(ssh, other.ssh);
        }
        return server.sameAs(other.server);
    }

    /** Returns the location without the path, in the syntax for users. */
    public String side() {
        return server != null ? server.toString() : ssh != null ? ssh.destination() : "here";
    }
}
