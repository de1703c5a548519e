package io.fdt.cli.list;

import io.fdt.cli.copy.RemoteEnd;
import io.fdt.cli.network.Network;
import io.fdt.cli.option.CleanOptions;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.ListOptions;
import io.fdt.cli.option.Settings;
import io.fdt.cli.ssh.SshSettings;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.Times;
import io.fdt.cli.value.UserText;
import io.fdt.core.files.ListPlan;
import io.fdt.core.plan.Cleaning;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A checked {@code ls} or {@code clean} command.
 *
 * @param plan if ssh starts the server, the address is set later
 * @param ssh how to start the server over ssh, or null
 */
record ListRequest(ListPlan plan, @Nullable SshSettings ssh, Network network, boolean verbose) {
    private static final String FORM = "fdt ls [OPTION…] fdt://HOST[:PORT][/PATH]";
    private static final String CLEAN_FORM = "fdt clean [OPTION…] DIR, or fdt clean [OPTION…] fdt://HOST[:PORT]/PATH";

    /** Reads and checks all options; opens nothing. */
    static ListRequest of(GivenArguments given, Settings settings) {
        String text = only(given, "nothing to list", FORM);
        Location location = Location.ofOperand(text);
        if (!location.isRemote()) {
            String meant = Location.ofServer(text);
            throw UserText.refusal(UserText.quoted(text)
                    + (meant != null
                            ? ": fdt ls lists servers; did you mean " + UserText.quoted(meant) + "?"
                            : " is local; fdt ls lists servers, fdt://HOST/PATH or USER@HOST:PATH"));
        }
        return of(location, settings.on(ListOptions.RECURSIVE), settings.on(ListOptions.SPACE), null, given, settings);
    }

    /** Like {@link #of(GivenArguments, Settings)}, but for {@code clean}. */
    static ListRequest ofCleaning(GivenArguments given, Settings settings) {
        String text = only(given, "nothing to clean", CLEAN_FORM);
        Location location = Location.ofOperand(text);
        if (location.path().isEmpty()) {
            throw UserText.refusal(UserText.quoted(text) + ": no path; write " + UserText.visible(text)
                    + "/ for everything that the server exports");
        }
        Cleaning cleaning = new Cleaning(
                settings.get(CleanOptions.OLDER, Times::parseNanos) / 1_000_000_000, settings.on(CleanOptions.DRY_RUN));
        return of(location, true, false, cleaning, given, settings);
    }

    /** Of a cleaning. */
    long olderSeconds() {
        Cleaning cleaning = plan.cleaning();
        return cleaning == null ? 0 : cleaning.olderSeconds();
    }

    private static String only(GivenArguments given, String none, String form) {
        List<String> operands = given.operands();
        if (operands.size() != 1) {
            throw UserText.refusal((operands.isEmpty() ? none : "more than one path") + "; write " + form);
        }
        return operands.get(0);
    }

    private static ListRequest of(
            Location location,
            boolean recursive,
            boolean space,
            @Nullable Cleaning cleaning,
            GivenArguments given,
            Settings settings) {
        HostPort server = location.server();
        return new ListRequest(
                new ListPlan(
                        server == null ? "" : server.host(),
                        server == null ? 0 : server.port(),
                        location.path(),
                        recursive,
                        space,
                        Network.timeoutMs(settings),
                        cleaning),
                RemoteEnd.ofFiles(location.ssh(), given, settings, false),
                Network.links(settings),
                settings.on(CommonOptions.VERBOSE));
    }
}
