package io.fdt.cli.copy;

import io.fdt.cli.console.Terminal;
import io.fdt.cli.ssh.SshHost;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.UserText;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The source and the target that the operands of {@code client} name.
 *
 * @param from the server with the sources, if neither side is this host
 * @param sources empty for a shard, which has its own
 * @param server null if ssh starts the remote end, and for a copy within this host
 * @param ssh null if a server is already running, and for a copy within this host
 */
record Route(
        Direction direction,
        @Nullable HostPort from,
        @Nullable HostPort server,
        @Nullable SshHost ssh,
        List<RawPath> sources,
        RawPath target) {
    private static final Set<String> OTHER_SCHEMES = Set.of(
            "s3", "gs", "az", "b2", "swift", "http", "https", "dav", "davs", "ftp", "ftps", "gsiftp", "srm", "root",
            "roots", "xroot", "hdfs", "smb", "nfs", "globus");

    private static final String FORM = "fdt client [OPTION…] SRC… TARGET";

    Route {
        sources = List.copyOf(sources);
    }

    static Route of(List<String> operands) {
        if (operands.size() < 2) {
            throw UserText.refusal((operands.isEmpty() ? "no source and no target" : "no target") + "; write " + FORM);
        }
        List<Location> sources = new ArrayList<>();
        for (String text : operands.subList(0, operands.size() - 1)) {
            Location source = Location.ofOperand(text);
            if (source.path().isEmpty()) {
                throw UserText.refusal(UserText.quoted(text) + ": no path; write " + UserText.visible(text)
                        + "/ for everything that the server exports");
            }
            sources.add(source);
        }
        Location target = Location.ofOperand(operands.get(operands.size() - 1));
        Route route = of(sources, target);
        if (route.isHere()) {
            requireNoAddress(operands);
        }
        route.checkStreams();
        return route;
    }

    /** All sources must be in one place. */
    static Route of(List<Location> sources, Location target) {
        Location from = commonSide(sources);
        List<RawPath> paths = sources.stream().map(Location::path).toList();
        boolean between = from.isRemote() && target.isRemote();
        if (between && (from.server() == null || target.server() == null)) {
            throw UserText.refusal(
                    "a copy between two remote hosts cannot start over ssh; run servers on both and write"
                            + " fdt://HOST/PATH for both, or run fdt on one of the hosts");
        }
        boolean pull = from.isRemote() && !between;
        Location other = pull ? from : target;
        return new Route(
                pull ? Direction.PULL : Direction.PUSH,
                between ? from.server() : null,
                other.server(),
                other.ssh(),
                paths,
                target.pathOrTop());
    }

    /** Returns the route between two directories of the same places. */
    Route between(RawPath directory, RawPath targetDirectory) {
        return new Route(direction, from, server, ssh, List.of(directory), targetDirectory);
    }

    private static Location commonSide(List<Location> sources) {
        Location first = sources.get(0);
        for (Location source : sources) {
            if (first.isRemote() != source.isRemote()) {
                throw UserText.refusal("some sources are local and some are remote; copy them with two commands");
            }
            if (!first.isBeside(source)) {
                throw UserText.refusal("sources on different servers, " + first.side() + " and " + source.side()
                        + "; use one command per server");
            }
        }
        return first;
    }

    /** Everything is local, perhaps by mistake: an operand may be an address in the form of scp and rsync. */
    private static void requireNoAddress(List<String> operands) {
        for (String text : operands) {
            int colon = text.indexOf(':');
            String name = colon > 0 ? text.substring(0, colon) : "";
            if (!HostPort.isName(name) || Location.isLocalFile(text)) {
                continue;
            }
            if (OTHER_SCHEMES.contains(name) && text.startsWith("://", colon)) {
                throw UserText.refusal(UserText.quoted(text) + ": fdt does not speak " + name
                        + "; it copies between hosts with fdt, fdt://HOST/PATH or USER@HOST:PATH");
            }
            // Remove the slashes of a scheme, or the second colon of an rsync module.
            String path = text.substring(colon + 1).replaceFirst("^[:/]+", "");
            if (text.startsWith("://", colon) || name.equals("fdt")) {
                throw UserText.refusal(
                        "all paths are local; did you mean " + UserText.quoted(Location.SCHEME + path) + "?");
            }
            String behind = text.substring(colon + 1);
            if (behind.matches("[0-9]{1,5}/.*")) {
                throw UserText.refusal(
                        "all paths are local; did you mean " + UserText.quoted(Location.SCHEME + text) + "?");
            }
            throw UserText.refusal("all paths are local; did you mean "
                    + UserText.quoted(Location.SCHEME + name + "/" + path) + " for a running fdt server, or "
                    + UserText.quoted("USER@" + name + ":" + (behind.startsWith(":") ? "PATH" : behind))
                    + " over ssh?");
        }
    }

    /** Whether both ends are on this host. */
    boolean isHere() {
        return from == null && server == null && ssh == null;
    }

    private void checkStreams() {
        for (RawPath source : sources) {
            if (direction == Direction.PUSH && from == null && isOpened(source)) {
                throw UserText.refusal("the source " + source.display()
                        + " is a link to what this process has open, not a file; write it to standard input and give"
                        + " the source -, or name the file");
            }
            boolean stream = source.equals(TransferPlan.DEV_ZERO) || isStandardInput(source);
            if (stream && sources.size() > 1) {
                throw UserText.refusal("the source " + source.display()
                        + " must be the only source; copy the others with another command");
            }
        }
        if (isDescriptor() && sources.size() > 1) {
            throw UserText.refusal("the target " + target.display() + " accepts only one file; give one source");
        }
        // Java's own files, which may have the number of a closed descriptor, are open for reading only. The sockets of
        // this copy, which get such numbers later, are not.
        if (isDescriptor() && !Terminal.isWritable(TransferPlan.descriptorOf(target))) {
            throw Cause.TARGET.failure(target.display() + ": is not open for writing");
        }
    }

    /** Whether a path is one of the kernel's links to what this process has open, which would be copied as a link. */
    private static boolean isOpened(RawPath source) {
        String text = source.text();
        return text.equals("/dev/stdin")
                || (text.startsWith("/proc/self/fd/") && text.lastIndexOf('/') == "/proc/self/fd".length())
                || (!source.equals(TransferPlan.STANDARD_STREAM) && TransferPlan.descriptorOf(source) >= 0);
    }

    boolean isZeros() {
        return !sources.isEmpty() && sources.get(0).equals(TransferPlan.DEV_ZERO);
    }

    boolean readsStandardInput() {
        return !sources.isEmpty() && isStandardInput(sources.get(0));
    }

    boolean isStandardOutput() {
        return direction == Direction.PULL && TransferPlan.descriptorOf(target) == 1;
    }

    /** Whether what arrives goes to a descriptor of this process. */
    boolean isDescriptor() {
        return direction == Direction.PULL && TransferPlan.descriptorOf(target) >= 0;
    }

    /** Whether one end is a stream of this process, which cannot be read or written twice. */
    boolean isStream() {
        return readsStandardInput() || isDescriptor();
    }

    private boolean isStandardInput(RawPath source) {
        return direction == Direction.PUSH && from == null && source.equals(TransferPlan.STANDARD_STREAM);
    }
}
