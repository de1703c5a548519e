package io.fdt.cli.list;

import io.fdt.cli.copy.SshCopy;
import io.fdt.cli.engine.NetworkOptions;
import io.fdt.cli.engine.NetworkSettings;
import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.ListOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.UserText;
import io.fdt.core.listing.ListPlan;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A checked {@code ls} command.
 *
 * @param plan with an address that is known only later where ssh starts the server
 * @param farEnd what is to be started over ssh before, or null
 */
record ListRequest(
        ListPlan plan,
        @Nullable SshCopy farEnd,
        NetworkOptions network,
        boolean longLines,
        boolean json,
        boolean verbose) {
    private static final String FORM = "fdt ls [OPTION…] fdt://HOST[:PORT][/PATH]";

    /** Reads and checks everything; opens nothing. */
    static ListRequest of(GivenArguments given, Settings settings) {
        List<String> operands = given.operands();
        if (operands.size() != 1) {
            throw UserText.refusal((operands.isEmpty() ? "nothing to list" : "more than one path") + "; write " + FORM);
        }
        String text = operands.get(0);
        Location location = location(text);
        if (!location.isRemote()) {
            throw UserText.refusal(
                    UserText.quoted(text) + " is local; fdt ls lists servers, fdt://HOST/PATH or USER@HOST:PATH");
        }
        HostPort server = location.server();
        for (Option option : List.of(ClientOptions.SSH, ClientOptions.REMOTE_COMMAND)) {
            if (server != null && given.has(option)) {
                throw UserText.refusal(option.name() + " belongs to listings over ssh; write USER@HOST:PATH");
            }
        }
        return new ListRequest(
                new ListPlan(
                        server == null ? "" : server.host(),
                        server == null ? 0 : server.port(),
                        location.path(),
                        settings.on(ListOptions.RECURSIVE),
                        settings.on(ListOptions.SPACE),
                        NetworkSettings.timeoutMs(settings)),
                location.ssh() == null ? null : SshCopy.withoutLanes(location.ssh(), settings),
                NetworkSettings.links(settings),
                settings.on(ListOptions.LONG),
                settings.on(CommonOptions.JSON),
                settings.on(CommonOptions.VERBOSE));
    }

    private static Location location(String text) {
        try {
            return Location.parse(text);
        } catch (BadValueException e) {
            throw UserText.refusal(UserText.quoted(text) + ": " + e.expected());
        }
    }
}
