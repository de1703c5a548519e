package io.fdt.cli.list;

import io.fdt.cli.copy.RemoteEnd;
import io.fdt.cli.network.Network;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.FileOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.Settings;
import io.fdt.cli.ssh.SshSettings;
import io.fdt.cli.value.HashWords;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.UserText;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.HashKind;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileOperation.Action;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A checked command with one operation on files.
 *
 * @param places of the paths, as the user wrote them; all are at the same place
 * @param texts of the paths, as the user wrote them
 * @param sumType the word of the checksum
 * @param ssh how to start the server over ssh, or null
 */
record FileRequest(
        FileOperation operation,
        List<Location> places,
        List<String> texts,
        String sumType,
        @Nullable SshSettings ssh,
        Network network,
        Options options) {
    /** What does not depend on the operation. */
    record Options(long timeoutMs, boolean verbose) {}

    boolean verbose() {
        return options.verbose();
    }

    long timeoutMs() {
        return options.timeoutMs();
    }

    /** Reads and checks all options; opens nothing. */
    static FileRequest of(Action action, String name, String form, GivenArguments given, Settings settings) {
        List<String> texts = given.operands();
        List<Location> places = texts.stream().map(Location::ofOperand).toList();
        String usage = "; write fdt " + name + " [OPTION…] " + form;
        if (places.isEmpty() || !(action == Action.SPACE || action.takes(places.size()))) {
            throw UserText.refusal(
                    (places.isEmpty() ? "no path" : action == Action.MOVE ? "two paths are needed" : "too many paths")
                            + usage);
        }
        Location first = places.get(0);
        for (Location place : places) {
            if (!first.isBeside(place)) {
                throw UserText.refusal("the paths are at different places, " + first.side() + " and " + place.side()
                        + "; run fdt " + name + " once for each");
            }
        }
        if (!first.isRemote() && action != Action.SUM && action != Action.STAT) {
            String text = texts.get(0);
            // A bare word is more often a file's name than a server's, all of whose files fdt rm would remove.
            boolean address = action == Action.SPACE || text.indexOf('/') >= 0 || text.indexOf(':') >= 0;
            String meant = address ? Location.ofServer(text) : null;
            throw UserText.refusal(UserText.quoted(text)
                    + (Location.isLocalFile(text) ? " is on this host" : " is not at a server")
                    + (meant == null ? usage : "; did you mean " + UserText.quoted(meant) + "?"));
        }
        String sumType = action == Action.SUM ? settings.word(FileOptions.TYPE) : "";
        HashKind hash = action == Action.SUM ? HashWords.sum(sumType) : DigestKind.NONE;
        boolean deep = (action == Action.MAKE_DIRECTORY && settings.on(FileOptions.PARENTS))
                || (action == Action.REMOVE && settings.on(FileOptions.RECURSIVE));
        List<Location> named = new ArrayList<>(places);
        // An address alone means every exported directory.
        named.removeIf(place -> action == Action.SPACE && place.path().isEmpty());
        return new FileRequest(
                new FileOperation(
                        action, named.stream().map(Location::pathOrTop).toList(), deep, hash),
                named.isEmpty() ? List.of(first) : named,
                texts,
                sumType,
                RemoteEnd.ofFiles(first.ssh(), given, settings, action == Action.SUM),
                Network.links(settings),
                new Options(Network.timeoutMs(settings), settings.on(CommonOptions.VERBOSE)));
    }
}
