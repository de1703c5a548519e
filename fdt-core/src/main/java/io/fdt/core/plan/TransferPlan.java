package io.fdt.core.plan;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A checked copy command: everything that the client requests of one session.
 *
 * @param server {@link ServerAddress#NONE} for a copy within this host
 * @param localAddresses to spread the lanes over; empty for the system's choice
 * @param records files about the copy
 * @param limits that the user set
 * @param shardFile the shard of a job to push in place of the request's selection; null for none
 * @param obeysUmask a pull gives no permissions that this process's umask takes
 */
public record TransferPlan(
        ServerAddress server,
        CopyRequest request,
        List<InetAddress> localAddresses,
        RecordFiles records,
        TransferLimits limits,
        @Nullable Path shardFile,
        boolean obeysUmask) {

    public static final RawPath DEV_ZERO = RawPath.ofText("/dev/zero");
    public static final RawPath DEV_NULL = RawPath.ofText("/dev/null");
    /** Standard input as a source, standard output as a target. */
    public static final RawPath STANDARD_STREAM = RawPath.ofText("-");

    private static final Pattern DESCRIPTOR = Pattern.compile("/dev/fd/([0-9]{1,6})");

    /**
     * Returns the descriptor of this process that a target of a pull means; -1 if it is a file. The files in
     * {@code /dev} are links, which a copy would replace.
     */
    public static int descriptorOf(RawPath target) {
        if (target.equals(STANDARD_STREAM)) {
            return 1;
        }
        String text = target.text();
        Matcher numbered = DESCRIPTOR.matcher(text);
        return switch (text) {
            case "/dev/stdout" -> 1;
            case "/dev/stderr" -> 2;
            default -> numbered.matches() ? Integer.parseInt(numbered.group(1)) : -1;
        };
    }

    /** Which end sends. */
    public enum Direction {
        /** The client sends. */
        PUSH,
        /** The server sends. */
        PULL
    }

    /** A push of a file, or of a directory as a directory in the target, with defaults for everything else. */
    public static TransferPlanBuilder push(Path source, String host, int port, String target) {
        return of(Direction.PUSH, List.of(RawPath.of(source)), RawPath.ofText(target))
                .at(host, port);
    }

    /** A pull of a file, a directory, or, with a trailing slash after the source, the contents of a directory. */
    public static TransferPlanBuilder pull(String host, int port, String source, Path target) {
        return of(Direction.PULL, List.of(RawPath.ofText(source)), RawPath.of(target))
                .at(host, port);
    }

    /** A copy within this host, unless the builder gets a server. */
    public static TransferPlanBuilder of(Direction direction, List<RawPath> sources, RawPath target) {
        return new TransferPlanBuilder(direction, sources, target);
    }

    public TransferPlan {
        localAddresses = List.copyOf(localAddresses);
    }

    /** Returns this plan for another server, with the paths there. */
    public TransferPlan at(String otherHost, int otherPort, CopyRequest there) {
        return new TransferPlan(
                new ServerAddress(otherHost, otherPort), there, localAddresses, records, limits, shardFile, obeysUmask);
    }
}
