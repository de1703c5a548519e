package io.fdt.cli.value;

import io.fdt.cli.ssh.SshHost;
import io.fdt.core.TransferException;
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
 * @param server null for a local path and for one behind ssh
 * @param ssh where ssh is to start the remote end, or null
 * @param path of a remote one everything from the slash after the address on, behind ssh everything after the colon;
 *     taken as it is: no percent-decoding; empty where nothing follows the address
 */
public record Location(@Nullable HostPort server, @Nullable SshHost ssh, RawPath path) {
    public static final String SCHEME = "fdt://";

    /** {@code HOST:/PATH} is behind ssh unless a local file has that name. */
    public static Location parse(String text) throws BadValueException {
        if (text.isEmpty()) {
            throw new BadValueException("the path is empty; write . for the current directory");
        }
        if (!text.startsWith(SCHEME)) {
            SshHost.Place place = SshHost.parse(text);
            return place == null || (place.host().user().isEmpty() && isLocalFile(text))
                    ? new Location(null, null, RawPath.ofText(text))
                    : new Location(null, place.host(), RawPath.ofText(fromHome(place.path())));
        }
        String rest = text.substring(SCHEME.length());
        int slash = rest.indexOf('/');
        HostPort server = HostPort.parse(slash < 0 ? rest : rest.substring(0, slash));
        return new Location(server, null, RawPath.ofText(slash < 0 ? "" : rest.substring(slash)));
    }

    /** The same of an operand of a command; throws USAGE. */
    public static Location ofOperand(String text) {
        try {
            return parse(text);
        } catch (BadValueException e) {
            throw UserText.refusal(UserText.quoted(text) + ": " + e.expected());
        }
    }

    /** @throws TransferException USAGE for a name that this locale has no letters for */
    public static Path local(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw UserText.refusal("Java cannot open " + UserText.quoted(text) + " in this locale");
        }
    }

    /** Whether a local file has this very name. */
    public static boolean isLocalFile(String text) {
        try {
            return Files.exists(Path.of(text), LinkOption.NOFOLLOW_LINKS);
        } catch (InvalidPathException notInThisLocale) {
            return false;
        }
    }

    /** Relative paths begin in the home there, as the shell that rsync and scp use has it. */
    private static String fromHome(String path) throws BadValueException {
        if (path.startsWith("~") && !path.equals("~") && !path.startsWith("~/")) {
            throw new BadValueException("~USER is not supported; write the path");
        }
        String relative = path.startsWith("~") ? path.substring(Math.min(2, path.length())) : path;
        return relative.isEmpty() ? "." : relative;
    }

    /** The path, or the whole export where nothing follows the address of a server. */
    public RawPath pathOrTop() {
        return path.isEmpty() ? RawPath.ofText("/") : path;
    }

    public boolean isRemote() {
        return server != null || ssh != null;
    }

    /** Whether both are on the same side: here, at one server, or behind one ssh. */
    public boolean isBeside(Location other) {
        if (server == null || other.server == null) {
            return Objects.equals(server, other.server) && Objects.equals(ssh, other.ssh);
        }
        return server.sameAs(other.server);
    }

    /** The side without the path, as users write it. */
    public String side() {
        return server != null ? server.toString() : ssh != null ? ssh.destination() : "here";
    }
}
