package io.fdt.cli.copy;

import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.UserText;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The directory of {@code --watch}: the name of the watched one, which the paths in the target begin with, and the
 * directory that it is in. Without a name, it is watched itself.
 */
record WatchedDirectory(RawPath directory, RawPath name) {
    /** Returns null without {@code --watch}. */
    static @Nullable WatchedDirectory of(GivenArguments given, Settings settings, Route route) {
        if (!settings.on(ClientOptions.WATCH)) {
            return null;
        }
        CopyRows.Kind.WATCHED.refuse(given);
        if (route.direction() != Direction.PUSH
                || route.from() != null
                || route.ssh() != null
                || route.sources().size() != 1
                || route.isStream()
                || route.target().equals(TransferPlan.DEV_NULL)) {
            throw UserText.refusal("--watch needs one local directory, and as target a directory of a running server or"
                    + " of this host; write fdt client --watch DIR fdt://HOST/PATH");
        }
        if (settings.word(ClientOptions.EXISTING).equals("fail")) {
            throw UserText.refusal(
                    "--watch cannot be used with --existing fail, because it copies changed files again");
        }
        RawPath source = route.sources().get(0);
        if (settings.on(ClientOptions.RELATIVE)) {
            RelativeSources relative = RelativeSources.of(route.sources());
            return new WatchedDirectory(relative.directory(), relative.names().get(0));
        }
        if (source.meansDirectory()) {
            return new WatchedDirectory(source, RawPath.EMPTY);
        }
        RawPath parent = source.parent();
        return new WatchedDirectory(parent.isEmpty() ? RawPath.HERE : parent, source.name());
    }

    /** The source of the plan; each round replaces its names. */
    RelativeSources asSource() {
        return new RelativeSources(directory, List.of(name));
    }
}
