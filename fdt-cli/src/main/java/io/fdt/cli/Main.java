package io.fdt.cli;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.console.Console;
import io.fdt.cli.console.MessageStream;
import io.fdt.cli.console.ProcessTexts;
import io.fdt.cli.console.Signals;
import io.fdt.cli.console.SystemSignals;
import io.fdt.cli.console.Terminal;
import io.fdt.cli.display.FailureReport;
import io.fdt.cli.help.HelpWords;
import io.fdt.cli.run.PlainRun;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.UserText;
import io.fdt.core.Fdt;
import io.fdt.core.basic.Clock;
import io.fdt.core.basic.Version;
import io.fdt.core.engine.EarlyLoading;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.KernelError;
import io.fdt.core.failure.TransferException;
import java.io.BufferedInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The entry point: finds the command, gives it its surroundings and ends the process with its exit code. Nothing else
 * ends the process. What a command needs is loaded for that command only, because every transfer includes a start.
 */
public final class Main {
    private static final int STANDARD_ERROR = 2;
    private static final long LAST_MESSAGES_MS = 1_000;

    /** The commands that nearly always have a session with another host. */
    private static final Set<String> NETWORKED = Set.of("server", "nettest", "batch", "jobs");

    /** Those that have a session, with a running server if an argument is its address. */
    private static final Set<String> ANYWHERE = Set.of("client", "copy", "verify", "ls", "clean");

    private Main() {}

    public static void main(String[] args) {
        QuickStart.begin(args);
        String command = args.length > 0 ? args[0] : "";
        boolean serves = command.equals("server");
        loadLess(serves || command.equals("monitor"));
        MessageStream messages = new MessageStream(new FileOutputStream(FileDescriptor.err));
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        // What reads the first line of a server need not read the others.
        MessageStream events = new MessageStream(out);
        Console console = new Console(
                serves ? events : out,
                messages,
                () -> messages.takeLost() + events.takeLost(),
                Terminal.isAt(STANDARD_ERROR));
        Thread.setDefaultUncaughtExceptionHandler((thread, mistake) -> onUncaught(console, thread, mistake));
        int exitCode = run(ProcessTexts.arguments(args), console, messages);
        events.drain(LAST_MESSAGES_MS);
        messages.drain(LAST_MESSAGES_MS);
        System.exit(exitCode);
    }

    /** Keeps libraries from loading more than is used. */
    private static void loadLess(boolean stays) {
        // Netty's flight recorder events would load the whole flight recorder.
        System.getProperties().putIfAbsent("io.netty.jfr.enabled", "false");
        // For the names of channels, which fdt does not use, Netty would ask Java for the process and its interfaces.
        System.getProperties().putIfAbsent("io.netty.processId", "1");
        System.getProperties().putIfAbsent("io.netty.machineId", "00:00:00:00:00:01");
        // Java would open the jar, and search it for the name of this class.
        System.getProperties()
                .putIfAbsent("java.nio.channels.spi.SelectorProvider", "sun.nio.ch.EPollSelectorProvider");
        if (!stays) {
            // Netty's pools pay in processes that stay.
            System.getProperties().putIfAbsent("io.netty.allocator.type", "unpooled");
        }
    }

    /** Starts loading what a session needs as soon as it is known that there will be one. */
    private static void loadEarly(List<String> args) {
        String name = args.get(0);
        boolean networked = NETWORKED.contains(name);
        Command command = networked || ANYWHERE.contains(name) ? Commands.named(name) : null;
        if (command != null) {
            command.afterReading(() -> {
                if (networked || hasServer(args)) {
                    EarlyLoading.beginNetwork();
                }
                EarlyLoading.beginSession();
            });
        }
    }

    /** A server that ssh starts takes its time, and whoever starts it loads the rest meanwhile. */
    private static boolean hasServer(List<String> args) {
        for (String arg : args) {
            if (arg.startsWith(Location.SCHEME)) {
                return true;
            }
        }
        return false;
    }

    /** A process with a full heap cannot work reliably, so it ends. The service manager starts a server again. */
    private static void onUncaught(Console console, Thread thread, Throwable mistake) {
        try {
            TransferException limit = TransferException.ofHostLimit(mistake);
            console.message(
                    limit != null
                            ? "fdt: " + limit.getMessage()
                            : "fdt: unexpected error in thread " + thread.getName() + ": " + mistake
                                    + "; this is a bug in fdt, please report it");
        } finally {
            if (KernelError.isOfHeap(mistake)) {
                Runtime.getRuntime().halt(Cause.HOST_LIMIT.exitCode());
            }
        }
    }

    private static int run(List<String> args, Console console, MessageStream messages) {
        try {
            if (args.size() == 1 && isVersion(args.get(0))) {
                console.data("fdt " + Version.number());
                return PlainRun.exitCode(0, console);
            }
            if (!args.isEmpty()) {
                loadEarly(args);
            }
            return run(
                    args, context(console, standardInput(), ProcessTexts.environment(), new SystemSignals(messages)));
        } catch (IOException | RuntimeException | Error e) {
            boolean verbose = args.contains("-v") || args.contains("--verbose");
            return new FailureReport(console, false, verbose).print(e);
        }
    }

    private static InputStream standardInput() throws IOException {
        if (!Terminal.isInputClosed()) {
            return new BufferedInputStream(new FileInputStream(FileDescriptor.in));
        }
        InputStream closed = InputStream.nullInputStream();
        closed.close();
        return closed;
    }

    /** Returns the surroundings of a command that really copies, as opposed to those of a test. */
    static Context context(Console console, InputStream input, Map<String, String> environment, Signals signals) {
        return new Context(
                console,
                input,
                environment,
                here -> Fdt.ofEnvironment(here),
                Clock.SYSTEM,
                signals,
                Runtime.getRuntime().availableProcessors());
    }

    static int run(List<String> args, Context context) {
        String first = args.isEmpty() ? "" : args.get(0);
        Command command = Commands.named(first);
        if (command != null) {
            List<String> rest = args.subList(1, args.size());
            return IperfServer.isMeant(first, rest)
                    ? run(IperfServer.today(rest, context), context)
                    : command.run(rest, context);
        }
        try {
            return withoutCommand(args, first, context);
        } catch (TransferException refused) {
            return new FailureReport(context.console(), false, false).print(refused);
        }
    }

    private static int withoutCommand(List<String> args, String first, Context context) {
        if (isVersion(first)) {
            if (args.size() > 1) {
                throw UserText.refusal("unexpected argument " + UserText.quoted(args.get(1)) + "; write fdt version");
            }
            context.console().data("fdt " + Version.number());
            return PlainRun.exitCode(0, context.console());
        }
        if (isEither(first, "--help", "-h") || first.equals(HelpWords.WORD)) {
            return PlainRun.exitCode(HelpRequest.run(args.subList(1, args.size()), context), context.console());
        }
        if (first.isEmpty()) {
            throw UserText.refusal(
                    "no command; use one of " + String.join(", ", Commands.names()) + "; see fdt --help");
        }
        if (LegacyCommandLine.isLegacy(args)) {
            List<String> today = LegacyCommandLine.translate(args);
            context.console()
                    .message("fdt: this is a legacy command line; the current form is: "
                            + LegacyCommandLine.written(today));
            LegacyCommandLine.notes(args).forEach(note -> context.console().message("fdt: " + note));
            return run(today, context);
        }
        if (first.startsWith("-")) {
            throw UserText.refusal(
                    "options follow the command: fdt COMMAND " + UserText.visible(first) + "; see fdt --help");
        }
        return Commands.known(first).run(List.of(), context);
    }

    private static boolean isVersion(String word) {
        return isEither(word, "--version", "-V") || word.equals("version");
    }

    private static boolean isEither(String text, String one, String other) {
        return text.equals(one) || text.equals(other);
    }
}
