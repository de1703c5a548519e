package io.fdt.cli;

import io.fdt.cli.command.Context;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.ServerOptions;
import io.fdt.cli.option.Settings;
import java.util.ArrayList;
import java.util.List;

/** {@code fdt nettest -s}, as users of iperf3 start the other end: a server for network tests. */
final class IperfServer {
    /** All addresses, as iperf3 listens. */
    private static final String EVERYWHERE = "--listen=0.0.0.0:27321";

    private IperfServer() {}

    /** @param args of the command */
    static boolean isMeant(String command, List<String> args) {
        return command.equals("nettest") && (args.contains("-s") || args.contains("--server"));
    }

    /** Returns the line that starts the server, and says it. An address that the user chose stays. */
    static List<String> today(List<String> args, Context context) {
        List<String> today = new ArrayList<>(List.of("server"));
        GivenArguments none = new GivenArguments(List.of(), List.of(), List.of());
        boolean chosen = args.stream().anyMatch(arg -> arg.startsWith("--listen"))
                || !Settings.of("server", none, context.environment()).isPreset(ServerOptions.LISTEN);
        if (!chosen) {
            today.add(EVERYWHERE);
        }
        args.stream()
                .filter(arg -> !arg.equals("-s") && !arg.equals("--server"))
                .forEach(today::add);
        context.console().message("fdt: note: nettest -s means " + String.join(" ", today));
        return today;
    }
}
