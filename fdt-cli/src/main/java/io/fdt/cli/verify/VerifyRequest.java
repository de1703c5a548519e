package io.fdt.cli.verify;

import io.fdt.cli.command.Context;
import io.fdt.cli.copy.RemoteEnd;
import io.fdt.cli.display.OutputForm;
import io.fdt.cli.display.ProgressMode;
import io.fdt.cli.network.Network;
import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;
import io.fdt.cli.option.VerifyOptions;
import io.fdt.cli.ssh.SshHost;
import io.fdt.cli.ssh.SshSettings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HashWords;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.LaneCount;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.plan.ManifestFile;
import io.fdt.core.plan.RawPath;
import io.fdt.core.verify.VerifyPlan;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A checked {@code verify} command: the plan for the engine, and how to show the verification.
 *
 * @param plan the address of a tree over ssh is set later
 * @param ssh how to start the remote end over ssh, or null
 */
record VerifyRequest(
        VerifyPlan plan, @Nullable SshSettings ssh, Network network, ProgressMode progress, OutputForm output) {
    private static final String FORM = "fdt verify [OPTION…] A B, or fdt verify [OPTION…] --receipt FILE TREE";
    private static final List<Option> OVER_SSH = List.of(ClientOptions.SSH, ClientOptions.REMOTE_COMMAND);

    /** Reads and checks all options; opens nothing. */
    static VerifyRequest of(GivenArguments given, Settings settings, Context context) {
        OutputForm output = OutputForm.of(settings, VerifyOptions.JSON, VerifyOptions.VERBOSE);
        ProgressMode progress = settings.choice(ClientOptions.PROGRESS, ProgressMode.class)
                .resolve(
                        context.console().isTerminal(),
                        settings.on(CommonOptions.QUIET) || output.log().json(),
                        output.json(),
                        context.environment());
        List<Location> operands =
                given.operands().stream().map(Location::ofOperand).toList();
        return new VerifyRequest(
                plan(given, operands, settings, context),
                ssh(given, operands, settings),
                Network.links(settings),
                progress,
                output);
    }

    /**
     * Returns how to start the remote end; null without ssh. The other tree must be local, because one key is valid for
     * one server only.
     */
    private static @Nullable SshSettings ssh(GivenArguments given, List<Location> operands, Settings settings) {
        List<SshHost> hosts =
                operands.stream().flatMap(each -> Stream.ofNullable(each.ssh())).toList();
        if (hosts.isEmpty()) {
            given.refuse(OVER_SSH, " applies only to a tree over ssh; write USER@HOST:PATH");
            return null;
        }
        if (operands.stream().filter(Location::isRemote).count() > 1) {
            throw UserText.refusal("a tree over ssh can be compared only with a local tree, a receipt or a manifest;"
                    + " start a server on the other host and write fdt://HOST/PATH for both");
        }
        if (settings.on(VerifyOptions.EXTRA)) {
            throw UserText.refusal("--extra does not apply to a tree over ssh; write fdt://HOST/PATH");
        }
        return RemoteEnd.withoutLanes(hosts.get(0), settings, true);
    }

    /** Returns the plan with the address of the running remote end. */
    VerifyPlan planned(RemoteEnd there) {
        VerifyPlan.Expected expected = plan.expected();
        return new VerifyPlan(
                planned(plan.tree(), there),
                expected instanceof VerifyPlan.Side other ? planned(other, there) : expected,
                plan.metadata(),
                plan.device(),
                plan.digest(),
                plan.threads(),
                plan.timeoutMs());
    }

    private static VerifyPlan.Side planned(VerifyPlan.Side side, RemoteEnd there) {
        HostPort at = there.at(null);
        return side.host() == null || at == null
                ? side
                : new VerifyPlan.Side(at.host(), at.port(), there.below(side.path()), side.shown());
    }

    private static VerifyPlan plan(GivenArguments given, List<Location> operands, Settings settings, Context context) {
        RawPath receipt = settings.find(VerifyOptions.RECEIPT, Words::rawFile);
        ManifestFile manifest = settings.find(VerifyOptions.MANIFEST, HashWords::manifest);
        if (receipt != null && manifest != null) {
            throw UserText.refusal("--receipt and --manifest cannot be combined; give only one of them");
        }
        RawPath list = manifest == null ? receipt : manifest.file();
        int wanted = list == null ? 2 : 1;
        if (operands.size() != wanted) {
            throw UserText.refusal((operands.isEmpty()
                            ? "no tree"
                            : operands.size() < wanted ? "nothing to compare with" : "too many trees")
                    + "; write " + FORM);
        }
        boolean extras = settings.on(VerifyOptions.EXTRA);
        if (list == null && extras) {
            throw UserText.refusal(
                    "--extra applies only to --receipt and --manifest; between two trees, extra files are always"
                            + " differences");
        }
        if (list != null && given.has(VerifyOptions.DIGEST)) {
            throw UserText.refusal("--digest applies only to two trees; a "
                    + (manifest == null ? "receipt" : "manifest") + " has its own digest");
        }
        if (manifest != null && given.has(VerifyOptions.METADATA)) {
            throw UserText.refusal("--metadata does not apply to --manifest, which has no modes and times");
        }
        List<String> texts = given.operands();
        return new VerifyPlan(
                side(operands.get(0), texts.get(0)),
                list == null ? side(operands.get(1), texts.get(1)) : new VerifyPlan.ListFile(list, extras),
                settings.on(VerifyOptions.METADATA),
                settings.on(VerifyOptions.DEVICE),
                manifest == null ? HashWords.digest(settings.word(VerifyOptions.DIGEST)) : manifest.kind(),
                settings.get(VerifyOptions.THREADS, text -> threads(text, context.cores())),
                Network.timeoutMs(settings));
    }

    private static VerifyPlan.Side side(Location location, String text) {
        HostPort server = location.server();
        SshHost ssh = location.ssh();
        return new VerifyPlan.Side(
                server != null ? server.host() : ssh != null ? ssh.host() : null,
                server == null ? 0 : server.port(),
                location.pathOrTop(),
                UserText.visible(text));
    }

    static int threads(String text, int cores) throws BadValueException {
        return LaneCount.orAuto(text, LaneCount.MAX, Math.max(1, Math.min(16, cores)));
    }
}
