package io.fdt.cli.verify;

import io.fdt.cli.command.Context;
import io.fdt.cli.display.LogForm;
import io.fdt.cli.display.ProgressMode;
import io.fdt.cli.engine.NetworkOptions;
import io.fdt.cli.engine.NetworkSettings;
import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.Settings;
import io.fdt.cli.option.VerifyOptions;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.DigestWord;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.LaneCount;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.UserText;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.verify.VerifyPlan;
import java.util.List;

/** A checked {@code verify} command: what the engine is to do and how it is to be shown. */
record VerifyRequest(
        VerifyPlan plan,
        NetworkOptions network,
        boolean json,
        ProgressMode progress,
        boolean verbose,
        boolean quiet,
        LogForm log) {
    private static final String FORM = "fdt verify [OPTION…] A B, or fdt verify [OPTION…] --receipt FILE TREE";

    /** Reads and checks everything; opens nothing. */
    static VerifyRequest of(GivenArguments given, Settings settings, Context context) {
        boolean json = settings.on(VerifyOptions.JSON);
        boolean quiet = settings.on(CommonOptions.QUIET);
        LogForm log = LogForm.of(settings, quiet);
        ProgressMode progress = settings.choice(ClientOptions.PROGRESS, ProgressMode.class)
                .resolve(context.console().isTerminal(), quiet || log.json(), json, context.environment());
        return new VerifyRequest(
                plan(given, settings, context),
                NetworkSettings.links(settings),
                json,
                progress,
                settings.on(VerifyOptions.VERBOSE),
                quiet || log.isQuiet(),
                log);
    }

    private static VerifyPlan plan(GivenArguments given, Settings settings, Context context) {
        RawPath receipt = settings.find(VerifyOptions.RECEIPT, VerifyRequest::path);
        List<String> operands = given.operands();
        int wanted = receipt == null ? 2 : 1;
        if (operands.size() != wanted) {
            throw UserText.refusal((operands.isEmpty()
                            ? "no tree"
                            : operands.size() < wanted ? "nothing to compare with" : "too many trees")
                    + "; write " + FORM);
        }
        boolean extras = settings.on(VerifyOptions.EXTRA);
        if (receipt == null && extras) {
            throw UserText.refusal(
                    "--extra applies only to --receipt; between two trees, extra files are always" + " differences");
        }
        if (receipt != null && given.has(VerifyOptions.DIGEST)) {
            throw UserText.refusal("--digest applies only to two trees; a receipt has its own digest");
        }
        return new VerifyPlan(
                side(operands.get(0)),
                receipt == null ? side(operands.get(1)) : null,
                receipt,
                extras,
                settings.on(VerifyOptions.METADATA),
                settings.on(VerifyOptions.DEVICE),
                digest(settings),
                settings.get(VerifyOptions.THREADS, text -> threads(text, context.cores())),
                NetworkSettings.timeoutMs(settings));
    }

    private static VerifyPlan.Side side(String text) {
        try {
            Location location = Location.parse(text);
            HostPort server = location.server();
            if (location.ssh() != null) {
                throw new BadValueException(
                        "verify needs a server for a remote tree; write fdt://HOST/PATH, or ./ before a local name");
            }
            return new VerifyPlan.Side(
                    server == null ? null : server.host(),
                    server == null ? 0 : server.port(),
                    location.pathOrTop(),
                    UserText.visible(text));
        } catch (BadValueException e) {
            throw UserText.refusal(UserText.quoted(text) + ": " + e.expected());
        }
    }

    private static DigestKind digest(Settings settings) {
        return DigestWord.kind(settings.word(VerifyOptions.DIGEST));
    }

    static int threads(String text, int cores) throws BadValueException {
        return text.equals("auto") ? Math.max(1, Math.min(16, cores)) : LaneCount.number(text);
    }

    private static RawPath path(String text) throws BadValueException {
        if (text.isEmpty()) {
            throw new BadValueException("the name is empty; give a FILE");
        }
        return RawPath.ofText(text);
    }
}
