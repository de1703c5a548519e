package io.fdt.cli.copy;

import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;
import io.fdt.cli.ssh.Handover;
import io.fdt.cli.ssh.RemoteServer;
import io.fdt.cli.ssh.SshHost;
import io.fdt.cli.ssh.SshSettings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.UserText;
import io.fdt.core.plan.CopyRequest;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.SourceSelection;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A copy whose remote end ssh starts: what the options say of it, and the plan once it is there. */
public record SshCopy(SshHost host, SshSettings settings) {
    private static final List<Option> OPTIONS = List.of(
            ClientOptions.SSH, ClientOptions.REMOTE_COMMAND, ClientOptions.REMOTE_ADDRESS, ClientOptions.TUNNEL);

    /** Null where a server is there already. */
    static @Nullable SshCopy of(Route route, GivenArguments given, Settings settings) {
        SshHost host = route.ssh();
        if (host == null) {
            given.refuse(OPTIONS, " applies only to copies over ssh; write USER@HOST:PATH");
            return null;
        }
        HostPort lanes = settings.find(ClientOptions.REMOTE_ADDRESS, SshCopy::address);
        boolean tunnel = settings.on(ClientOptions.TUNNEL);
        if (tunnel && lanes != null) {
            throw UserText.refusal("--tunnel and --remote-address cannot be combined; give only one of them");
        }
        return new SshCopy(
                host,
                new SshSettings(
                        settings.get(ClientOptions.SSH, SshCopy::words),
                        settings.get(ClientOptions.REMOTE_COMMAND, SshCopy::command),
                        tunnel,
                        lanes == null ? null : lanes.host(),
                        lanes == null ? 0 : lanes.port()));
    }

    /** For a session without lanes, which needs no port but ssh's. */
    public static SshCopy withoutLanes(SshHost host, Settings settings) {
        return new SshCopy(
                host,
                new SshSettings(
                        settings.get(ClientOptions.SSH, SshCopy::words),
                        settings.get(ClientOptions.REMOTE_COMMAND, SshCopy::command),
                        true,
                        null,
                        0));
    }

    /** As rsync takes its {@code -e}: words, with no quoting. */
    private static List<String> words(String text) throws BadValueException {
        if (text.isBlank()) {
            throw new BadValueException("the command is empty; write for example 'ssh -p 2222'");
        }
        return List.of(text.strip().split("\\s+"));
    }

    private static String command(String text) throws BadValueException {
        if (text.isBlank()) {
            throw new BadValueException("the command is empty; write for example 'java -jar fdt.jar'");
        }
        return text.strip();
    }

    private static HostPort address(String text) throws BadValueException {
        HostPort address = HostPort.parseListen(text);
        boolean anyPort = text.indexOf(':') < 0 || text.endsWith("]");
        return anyPort ? new HostPort(address.host(), 0) : address;
    }

    public RemoteServer start() {
        return RemoteServer.start(host, settings);
    }

    /** The plan with the remote end that is there now. */
    static TransferPlan planned(TransferPlan plan, RemoteServer there) {
        Handover handover = there.handover();
        CopyRequest request = plan.request();
        SourceSelection selection = request.selection();
        if (request.direction() == Direction.PULL) {
            List<RawPath> sources = selection.sources().stream()
                    .map(path -> below(handover.directory(), path))
                    .toList();
            selection = selection.from(sources);
        }
        RawPath target = request.direction() == Direction.PUSH
                ? below(handover.directory(), request.target())
                : request.target();
        return plan.at(
                there.host(), there.port(), request.withSelection(selection).withTarget(target));
    }

    /** A path of the remote end from its root on. A dot alone is the directory itself. */
    public static RawPath below(RawPath directory, RawPath path) {
        if (path.isAbsolute()) {
            return path;
        }
        return path.equals(RawPath.ofText(".")) ? RawPath.ofText(directory.text() + "/") : directory.resolve(path);
    }

    /** The advice when the remote end runs and cannot be reached. */
    String hint(RemoteServer there) {
        return settings.tunnel()
                ? "fdt: the lanes used the ssh tunnel; check that the ssh server allows forwarding"
                        + " (AllowTcpForwarding)"
                : "fdt: the lanes connect directly to " + new HostPort(there.host(), there.port())
                        + "; if a firewall blocks that, give an open port with --remote-address, or use --tunnel";
    }
}
