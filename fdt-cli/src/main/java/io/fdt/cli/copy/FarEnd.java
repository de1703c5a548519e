package io.fdt.cli.copy;

import io.fdt.cli.command.Context;
import io.fdt.cli.engine.Engine;
import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;
import io.fdt.cli.ssh.RemoteServer;
import io.fdt.cli.ssh.SshHost;
import io.fdt.cli.ssh.SshSettings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.UserText;
import io.fdt.core.plan.CopyRequest;
import io.fdt.core.plan.SourceSelection;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.security.ServerAccess;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The remote end of one command, which ssh starts for it as the options say; nothing where a server is there already.
 * Thread-safe.
 */
public final class FarEnd implements AutoCloseable {
    private static final List<Option> OPTIONS = List.of(
            ClientOptions.SSH, ClientOptions.REMOTE_COMMAND, ClientOptions.REMOTE_ADDRESS, ClientOptions.TUNNEL);

    private final @Nullable SshSettings wanted;
    private volatile @Nullable RemoteServer server;

    /** @param wanted what is to be started; null where nothing is */
    public FarEnd(@Nullable SshSettings wanted) {
        this.wanted = wanted;
    }

    /** What a copy needs; null where a server is there already. */
    static @Nullable SshSettings ofCopy(Route route, GivenArguments given, Settings settings) {
        SshHost host = route.ssh();
        if (host == null) {
            given.refuse(OPTIONS, " applies only to copies over ssh; write USER@HOST:PATH");
            return null;
        }
        HostPort lanes = settings.find(ClientOptions.REMOTE_ADDRESS, FarEnd::address);
        boolean tunnel = settings.on(ClientOptions.TUNNEL);
        if (tunnel && lanes != null) {
            throw UserText.refusal("--tunnel and --remote-address cannot be combined; give only one of them");
        }
        return settings(host, settings, tunnel, lanes);
    }

    /** For a session without lanes, which needs no port but ssh's. */
    public static SshSettings withoutLanes(SshHost host, Settings settings) {
        return settings(host, settings, true, null);
    }

    private static SshSettings settings(SshHost host, Settings settings, boolean tunnel, @Nullable HostPort lanes) {
        return new SshSettings(
                host,
                settings.get(ClientOptions.SSH, FarEnd::words),
                settings.get(ClientOptions.REMOTE_COMMAND, FarEnd::command),
                tunnel,
                lanes == null ? null : lanes.host(),
                lanes == null ? 0 : lanes.port());
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

    /** Starts it, in the place of one that was there before, and returns the engine that it admits. */
    public Engine start(Context context) {
        close();
        if (wanted == null) {
            return context.engine();
        }
        RemoteServer started = RemoteServer.start(wanted);
        server = started;
        return context.with(ServerAccess.ENVIRONMENT, started.handover().keyLine())
                .engine();
    }

    /** What ssh has started; null for nothing. */
    public @Nullable RemoteServer server() {
        return server;
    }

    /** The plan with the remote end that is there now. */
    TransferPlan planned(TransferPlan plan) {
        RemoteServer there = server;
        if (there == null) {
            return plan;
        }
        CopyRequest request = plan.request();
        SourceSelection selection = request.selection();
        boolean push = request.direction() == Direction.PUSH;
        CopyRequest below = push
                ? request.withTarget(there.handover().below(request.target()))
                : request.withSelection(selection.from(selection.sources().stream()
                        .map(there.handover()::below)
                        .toList()));
        return plan.at(there.host(), there.port(), below);
    }

    /** The advice when the remote end runs and cannot be reached; null where ssh has started none. */
    @Nullable String hint() {
        RemoteServer there = server;
        if (there == null || wanted == null) {
            return null;
        }
        return wanted.tunnel()
                ? "fdt: the lanes used the ssh tunnel; check that the ssh server allows forwarding"
                        + " (AllowTcpForwarding)"
                : "fdt: the lanes connect directly to " + new HostPort(there.host(), there.port())
                        + "; if a firewall blocks that, give an open port with --remote-address, or use --tunnel";
    }

    @Override
    public void close() {
        RemoteServer started = server;
        server = null;
        if (started != null) {
            started.close();
        }
    }
}
