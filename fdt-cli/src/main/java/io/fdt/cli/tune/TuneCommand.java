package io.fdt.cli.tune;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.GivenOptions;
import io.fdt.cli.option.Settings;
import io.fdt.cli.run.PlainRun;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.LaneCount;
import io.fdt.cli.value.Nearest;
import io.fdt.cli.value.Rates;
import io.fdt.cli.value.Times;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.failure.Cause;
import io.fdt.core.host.Host;
import io.fdt.core.host.tune.Findings;
import io.fdt.core.host.tune.TunePlan;
import io.fdt.core.host.tune.TuneRequest;
import io.fdt.core.host.tune.Tuning;
import io.fdt.core.storage.posix.FileMetadata;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/** {@code tune}: shows a host, plans changes that improve it, applies them and undoes them. */
public final class TuneCommand extends Command {
    private static final List<String> ACTIONS = List.of("show", "plan", "apply", "undo");
    private static final Path THIS_HOST = Path.of("/");
    private static final long MAX_RTT_MS = 10_000;

    public TuneCommand() {
        super("tune", "show, plan, apply and undo the mapping of queues to cores", "show|plan|apply|undo");
    }

    @Override
    protected Help help() {
        return Help.of(TuneOptions.ALL)
                .words(ACTIONS)
                .about("""
                        show prints cores, NICs, queues and their interrupts, and lists what reduces throughput. plan
                        lists every change that would help, with old value, new value and reason, and changes nothing.
                        apply makes these changes, as root: it saves every old value on disk, stops irqbalance, and
                        reads each value back. undo restores every old value exactly, also after a crash.

                        fdt writes only to the running kernel, so a restart of the host also undoes everything. See
                        docs/tuning.md.""")
                .example("tune show --rtt 150ms", "show this host and what is wrong for such a path")
                .example(
                        "tune plan --nic bond0 --rate 80Gbit --rtt 150ms --lanes 32",
                        "list every change and the reason")
                .example("tune apply --nic bond0 --rtt 150ms", "make these changes, as root")
                .example("tune undo", "restore the old values");
    }

    @Override
    public int run(List<String> args, Context context) {
        return PlainRun.run(
                this, args, context, (given, settings, json) -> act(action(given), given, settings, json, context));
    }

    private static String action(GivenArguments given) {
        if (given.operands().size() != 1) {
            throw UserText.refusal("give one action: " + String.join(", ", ACTIONS));
        }
        String action = given.operands().get(0);
        if (!ACTIONS.contains(action)) {
            throw Nearest.unknown("action", action, ACTIONS);
        }
        return action;
    }

    private static int act(String action, GivenArguments given, Settings settings, boolean json, Context context) {
        Path root = settings.get(TuneOptions.ROOT, TuneCommand::directory);
        Path state = settings.get(TuneOptions.STATE, TuneCommand::directory);
        boolean quiet = settings.on(GivenOptions.QUIET);
        TuneView view = json ? new TuneJson(context.console()) : new TuneText(context.console(), quiet);
        if (action.equals("undo")) {
            given.refuse(
                    List.of(TuneOptions.NIC, TuneOptions.RATE, TuneOptions.RTT, TuneOptions.LANES),
                    " does not apply to undo, which restores everything; leave it out");
            requireRoot(root, action);
            return view.undone(new Tuning(root, state).undo());
        }
        TuneRequest request = request(settings);
        if (action.equals("apply")) {
            requireRoot(root, action);
        }
        Host host = host(root, request);
        switch (action) {
            case "show" -> view.show(host, request, Findings.of(host, request));
            case "plan" -> view.plan(TunePlan.of(host, request));
            default -> {
                TunePlan plan = TunePlan.of(host, request);
                return view.applied(new Tuning(root, state).apply(host, plan), plan.notes());
            }
        }
        return 0;
    }

    private static TuneRequest request(Settings settings) {
        Long rate = settings.find(TuneOptions.RATE, Rates::parse);
        Long rttMs = settings.find(TuneOptions.RTT, Times.betweenMs(1, MAX_RTT_MS));
        Integer lanes = settings.find(TuneOptions.LANES, Words.number(1, LaneCount.MAX));
        return new TuneRequest(
                settings.all(TuneOptions.NIC, text -> text),
                rate == null ? 0 : rate,
                rttMs == null ? 0 : rttMs * 1_000_000,
                lanes == null ? 0 : lanes);
    }

    private static Host host(Path root, TuneRequest request) {
        Host host = Host.read(root);
        if (host.isOpaque()) {
            throw Cause.SOURCE
                    .advise("run fdt on the host itself")
                    .failure("this host shows no cores and no NICs: proc and sys below " + root
                            + " are missing or not readable, as in a container");
        }
        String unknown = request.unknownNic(host);
        if (unknown != null) {
            List<String> names =
                    host.network().nics().stream().map(nic -> nic.name()).toList();
            throw UserText.refusal("--nic " + UserText.quoted(unknown) + ": no such NIC; this host has "
                    + (names.isEmpty() ? "none" : String.join(", ", names)) + Nearest.hint(unknown, names));
        }
        return host;
    }

    /** Requires root to change this host. The files of a recorded host belong to the user. */
    private static void requireRoot(Path root, String action) {
        if (root.equals(THIS_HOST) && !FileMetadata.isRoot()) {
            throw Cause.REFUSED
                    .advise("run it with sudo")
                    .failure("tune " + action + " writes to the kernel and needs root");
        }
    }

    private static Path directory(String text) throws BadValueException {
        try {
            if (text.isEmpty()) {
                throw new BadValueException("the path is empty; write . for the current directory");
            }
            return Path.of(text).toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            throw new BadValueException("Java cannot open that in this locale");
        }
    }
}
