package io.fdt.cli.copy;

import io.fdt.cli.command.Context;
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
import io.fdt.core.Fdt;
import io.fdt.core.engine.EarlyLoading;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.security.ServerAccess;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The remote end of a command. It is started over ssh as the options specify; if a server is already running, nothing
 * is started. Thread-safe.
 */
public final class RemoteEnd implements AutoCloseable {
    private static final List<Option> OPTIONS = List.of(
            ClientOptions.SSH,
            ClientOptions.REMOTE_COMMAND,
            ClientOptions.REMOTE_ADDRESS,
            ClientOptions.TUNNEL,
            ClientOptions.BOOTSTRAP);

    private final @Nullable SshSettings wanted;
    private volatile @Nullable RemoteServer server;

    /** @param wanted how to start the remote end; null if nothing is to be started */
    public RemoteEnd(@Nullable SshSettings wanted) {
        this.wanted = wanted;
    }

    /** Returns the settings for a copy; null if a server is already running. */
    static @Nullable SshSettings ofCopy(Route route, GivenArguments given, Settings settings) {
        SshHost host = route.ssh();
        if (host == null) {
            given.refuse(OPTIONS, " applies only to copies over ssh; write USER@HOST:PATH");
            return null;
        }
        HostPort lanes = settings.find(ClientOptions.REMOTE_ADDRESS, RemoteEnd::address);
        boolean tunnel = settings.on(ClientOptions.TUNNEL);
        if (tunnel && lanes != null) {
            throw UserText.refusal("--tunnel and --remote-address cannot be combined; give only one of them");
        }
        boolean bootstrap = settings.on(ClientOptions.BOOTSTRAP);
        if (bootstrap) {
            given.refuse(
                    List.of(ClientOptions.REMOTE_COMMAND), " and --bootstrap both name the fdt there; leave one out");
        }
        boolean hashing = settings.word(ClientOptions.DIGEST).equals("sha256");
        return settings(host, settings, tunnel, lanes, bootstrap, hashing);
    }

    /** Returns the settings for operations on files, which need only the ssh port; null without ssh. */
    public static @Nullable SshSettings ofFiles(
            @Nullable SshHost host, GivenArguments given, Settings settings, boolean hashing) {
        if (host == null) {
            given.refuse(
                    List.of(ClientOptions.SSH, ClientOptions.REMOTE_COMMAND),
                    " applies only over ssh; write USER@HOST:PATH");
            return null;
        }
        return withoutLanes(host, settings, hashing);
    }

    /** Returns the settings for a session without lanes, which needs only the ssh port. */
    public static SshSettings withoutLanes(SshHost host, Settings settings, boolean hashing) {
        return settings(host, settings, true, null, false, hashing);
    }

    private static SshSettings settings(
            SshHost host,
            Settings settings,
            boolean tunnel,
            @Nullable HostPort lanes,
            boolean bootstrap,
            boolean hashing) {
        return new SshSettings(
                host,
                settings.get(ClientOptions.SSH, RemoteEnd::words),
                settings.get(ClientOptions.REMOTE_COMMAND, RemoteEnd::command),
                tunnel,
                lanes == null ? null : InetSocketAddress.createUnresolved(lanes.host(), lanes.port()),
                bootstrap,
                hashing);
    }

    /** Splits the text into words without any quoting, as rsync does for {@code -e}. */
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

    /** Starts the remote end, after it stops a previous one, and returns the library with the key for it. */
    public Fdt start(Context context) {
        close();
        if (wanted == null) {
            return context.fdt();
        }
        RemoteServer started = RemoteServer.start(wanted, EarlyLoading::beginNetwork);
        server = started;
        return context.with(ServerAccess.ENVIRONMENT, started.handover().keyLine())
                .fdt()
                .naming(wanted.host().destination());
    }

    /** Returns the address of the server that ssh has started; the argument if there is none. */
    public @Nullable HostPort at(@Nullable HostPort otherwise) {
        RemoteServer there = server;
        return there == null ? otherwise : new HostPort(there.host(), there.port());
    }

    /** Returns the path at the server that ssh has started, where relative ones begin at its directory. */
    public RawPath below(RawPath path) {
        RemoteServer there = server;
        return there == null ? path : there.handover().below(path);
    }

    /** Returns the plan with the address of the running remote end, and with paths relative to its directory. */
    TransferPlan planned(TransferPlan plan) {
        HostPort at = at(null);
        if (at == null) {
            return plan;
        }
        TransferPlan below = plan.direction() == Direction.PUSH
                ? plan.with(CopyValue.TARGET, below(plan.target()))
                : plan.with(
                        CopyValue.SOURCES,
                        plan.sources().stream().map(this::below).toList());
        return below.at(at.host(), at.port());
    }

    /** Returns advice for a remote end that runs but cannot be reached; null if ssh has not started one. */
    @Nullable String hint() {
        HostPort at = at(null);
        if (at == null || wanted == null) {
            return null;
        }
        return wanted.tunnel()
                ? "fdt: the lanes used the ssh tunnel; check that the ssh server allows forwarding"
                        + " (AllowTcpForwarding)"
                : "fdt: the lanes connect directly to " + at
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
