package io.fdt.cli.copy;

import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sources and targets of {@code --pairs}: the directory that all sources are below, the one that all targets are
 * below, and for each pair the path below each.
 */
record Pairs(Route route, List<RawPath> names) {
    Pairs {
        names = List.copyOf(names);
    }

    /** Returns null without a list of pairs. */
    static @Nullable Pairs of(GivenArguments given, Settings settings, InputStream standardInput) {
        String file = settings.find(ClientOptions.PAIRS, Words::name);
        if (file == null) {
            return null;
        }
        if (!given.operands().isEmpty()) {
            throw UserText.refusal("--pairs FILE lists all sources and targets; leave out "
                    + UserText.quoted(given.operands().get(0)));
        }
        CopyRows.Kind.PAIRED.refuse(given);
        List<Location> sources = new ArrayList<>();
        List<Location> targets = new ArrayList<>();
        for (byte[] field : ListFile.pairs(file, settings.on(ClientOptions.NUL), standardInput)) {
            Location place = Location.ofOperand(RawPath.ofBytes(field).text());
            RawPath path = place.path();
            if (path.equals(TransferPlan.DEV_NULL)
                    || path.equals(TransferPlan.DEV_ZERO)
                    || path.equals(TransferPlan.STANDARD_STREAM)
                    || TransferPlan.descriptorOf(path) >= 0) {
                throw UserText.refusal("--pairs: " + path.display() + " is no file; copy it with another command");
            }
            boolean isTarget = sources.size() > targets.size();
            if (isTarget && path.endsWithSlash()) {
                throw UserText.refusal(
                        "--pairs: the target " + path.display() + " ends in a slash; write its exact name");
            }
            (isTarget ? targets : sources).add(place);
        }
        return of(sources, targets);
    }

    private static Pairs of(List<Location> sources, List<Location> targets) {
        requireTogether(targets);
        boolean local = !sources.get(0).isRemote();
        RawPath from = local ? RawPath.HERE : commonDirectory(sources);
        RawPath to = commonDirectory(targets);
        List<RawPath> names = new ArrayList<>();
        for (int i = 0; i < sources.size(); i++) {
            RawPath source = sources.get(i).path();
            names.add(local ? source : below(from, source));
            names.add(below(to, targets.get(i).path()));
        }
        return new Pairs(Route.of(sources, targets.get(0)).between(from, to.withSlash()), names);
    }

    private static void requireTogether(List<Location> targets) {
        for (Location target : targets) {
            if (!target.isBeside(targets.get(0))) {
                throw UserText.refusal("targets in different places, "
                        + targets.get(0).side() + " and " + target.side() + "; use one list for each");
            }
        }
    }

    /** Returns the deepest directory that all paths are below. */
    private static RawPath commonDirectory(List<Location> places) {
        RawPath first = places.get(0).path();
        List<RawPath> common = plain(first.parent());
        for (Location place : places) {
            if (place.path().isAbsolute() != first.isAbsolute()) {
                throw UserText.refusal("--pairs: " + first.display() + " and "
                        + place.path().display() + ": write absolute paths or relative ones, not both");
            }
            List<RawPath> components = plain(place.path().parent());
            int length = 0;
            while (length < Math.min(common.size(), components.size())
                    && common.get(length).equals(components.get(length))) {
                length++;
            }
            common = common.subList(0, length);
        }
        RawPath directory = first.isAbsolute() ? RawPath.ROOT : RawPath.EMPTY;
        for (RawPath component : common) {
            directory = directory.resolve(component);
        }
        return directory.isEmpty() ? RawPath.HERE : directory;
    }

    private static RawPath below(RawPath directory, RawPath path) {
        List<RawPath> components = plain(path);
        RawPath name = RawPath.EMPTY;
        for (RawPath component : components.subList(plain(directory).size(), components.size())) {
            name = name.resolve(component);
        }
        if (name.isEmpty() || !name.isPlainRelative()) {
            throw UserText.refusal("--pairs: " + path.display() + " names no file below " + directory.display()
                    + "; write absolute paths without ..");
        }
        return name;
    }

    private static List<RawPath> plain(RawPath path) {
        return path.components().stream()
                .filter(component -> !component.equals(RawPath.HERE))
                .toList();
    }
}
