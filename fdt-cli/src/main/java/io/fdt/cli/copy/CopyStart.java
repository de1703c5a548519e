package io.fdt.cli.copy;

import io.fdt.cli.command.ArgumentReader;
import io.fdt.cli.command.Context;
import io.fdt.cli.network.Network;
import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.UserText;
import io.fdt.core.Fdt;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.ServerAddress;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A copy with the options and operands of {@code client}, for a command that makes several copies in one process and
 * shows them itself. Immutable.
 */
public final class CopyStart {
    /** A file of this size needs no second lane. */
    static final long ONE_LANE_BYTES = 1 << 20;

    private static final String STREAMS = "standard input and output are those of the batch; write the path of a file";

    private final ClientRequest request;

    private CopyStart(ClientRequest request) {
        this.request = request;
    }

    /** @param args options and operands; throws USAGE */
    public static CopyStart of(List<String> args, Context context) {
        GivenArguments given = ArgumentReader.read(new ClientCommand(), args);
        CopyRows.Kind.OF_A_BATCH.refuse(given);
        // Before lists are read, which would consume further requests.
        for (Option list : List.of(
                ClientOptions.FILES_FROM,
                ClientOptions.PAIRS,
                ClientOptions.INCLUDE_FROM,
                ClientOptions.EXCLUDE_FROM)) {
            if (given.texts(list).contains("-")) {
                throw UserText.refusal(STREAMS);
            }
        }
        ClientRequest request = ClientRequest.of(given, Settings.of("client", given, context.environment()), context);
        if (!request.remote().areServers()) {
            throw UserText.refusal("a batch copies to and from running servers; write fdt://HOST/PATH");
        }
        if (request.plan().sources().contains(TransferPlan.STANDARD_STREAM)
                || TransferPlan.descriptorOf(request.plan().target()) >= 0) {
            throw UserText.refusal(STREAMS);
        }
        return new CopyStart(request);
    }

    /** The server, if it is one that this host opens lanes to; else null. */
    public @Nullable HostPort server() {
        TransferPlan plan = request.plan();
        ServerAddress server = plan.server();
        return request.remote().from() != null || server.isNone() ? null : new HostPort(server.host(), server.port());
    }

    /** How it uses the network; copies that agree in that and in the server can share a connection. */
    public Network network() {
        return request.network();
    }

    public long timeoutMs() {
        return request.plan().stepMs();
    }

    /** Returns the plan; a small file gets one lane, because opening a lane takes longer than sending it. */
    public TransferPlan plan() {
        TransferPlan plan = request.plan();
        return request.askedLanes() == 0 && isSmallFile() ? plan.lanes(1) : plan;
    }

    private boolean isSmallFile() {
        List<RawPath> sources = request.plan().sources();
        if (request.plan().direction() != TransferPlan.Direction.PUSH
                || request.remote().from() != null
                || sources.size() != 1) {
            return false;
        }
        try {
            Path source = Path.of(sources.get(0).text());
            return Files.isRegularFile(source) && Files.size(source) <= ONE_LANE_BYTES;
        } catch (IOException | InvalidPathException unknown) {
            return false;
        }
    }

    /** Starts a copy within this host, or between two servers. */
    public TransferJob startAlone(Fdt fdt, TransferObserver observer) {
        HostPort from = request.remote().from();
        Fdt applied = request.network().applied(fdt, request.plan().server().host());
        return from == null
                ? applied.copy(plan(), observer)
                : applied.copyBetween(from.host(), from.port(), request.plan(), observer);
    }
}
