package io.fdt.cli.copy;

import io.fdt.cli.value.UserText;
import io.fdt.core.plan.RawPath;
import java.util.ArrayList;
import java.util.List;

/**
 * The sources of {@code --relative}, whose paths continue below the target: one directory, and the names below it. The
 * directory is the root or the working directory, or what stands before the first {@code /./}.
 */
record RelativeSources(RawPath directory, List<RawPath> names) {
    RelativeSources {
        names = List.copyOf(names);
    }

    static RelativeSources of(List<RawPath> sources) {
        RelativeSources first = of(sources.get(0));
        List<RawPath> names = new ArrayList<>();
        for (RawPath source : sources) {
            RelativeSources each = of(source);
            if (!each.directory.equals(first.directory)) {
                throw UserText.refusal("--relative: '" + sources.get(0).display() + "' and '" + source.display()
                        + "' begin at different directories; use one command for each");
            }
            names.addAll(each.names);
        }
        return new RelativeSources(first.directory, names);
    }

    private static RelativeSources of(RawPath source) {
        RawPath directory = source.isAbsolute() ? RawPath.ROOT : RawPath.HERE;
        RawPath name = RawPath.EMPTY;
        boolean marked = false;
        List<RawPath> components = source.components();
        for (int index = 0; index < components.size(); index++) {
            RawPath component = components.get(index);
            boolean last = index == components.size() - 1;
            if (component.equals(RawPath.HERE) && !last && !name.isEmpty() && !marked) {
                marked = true;
                directory = source.isAbsolute() ? RawPath.ROOT.resolve(name) : name;
                name = RawPath.EMPTY;
            } else if (!component.equals(RawPath.HERE)) {
                name = name.resolve(component);
            }
        }
        if (name.isEmpty() || name.components().contains(RawPath.UP)) {
            throw UserText.refusal("--relative: '" + source.display() + "' names nothing below its directory; write"
                    + " DIR/./PATH to continue PATH below the target");
        }
        return new RelativeSources(directory, List.of(name));
    }
}
