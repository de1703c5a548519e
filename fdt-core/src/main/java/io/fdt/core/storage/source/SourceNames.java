package io.fdt.core.storage.source;

import io.fdt.core.budget.Budget;
import io.fdt.core.plan.RawPath;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The paths of {@code --files-from}, normalized and without those that another one includes. Immutable. */
final class SourceNames {
    private final List<RawPath> names;
    private final List<RawPath> leadingOut;

    /** @param budget of the session that asks for them; its end is noticed between two names */
    SourceNames(Collection<RawPath> written, Budget budget) {
        Set<RawPath> plain = new HashSet<>();
        List<RawPath> ordered = new ArrayList<>();
        List<RawPath> refused = new ArrayList<>();
        for (RawPath name : written) {
            budget.requireOpen();
            RawPath normal = normalized(name);
            if (normal == null) {
                refused.add(name);
            } else if (plain.add(normal)) {
                ordered.add(normal);
            }
        }
        ordered.removeIf(name -> {
            budget.requireOpen();
            // A directory is moved with everything below it.
            return isBelowAny(name, plain::contains);
        });
        this.names = ordered;
        this.leadingOut = refused;
    }

    List<RawPath> names() {
        return names;
    }

    /** Names with a {@code ..}, which are refused one by one. */
    List<RawPath> leadingOut() {
        return leadingOut;
    }

    /** Removes leading, doubled and trailing slashes and {@code .}; returns null if a component is {@code ..}. */
    static @Nullable RawPath normalized(RawPath name) {
        if (name.isPlainRelative()) {
            return name;
        }
        RawPath normal = RawPath.EMPTY;
        for (RawPath component : name.components()) {
            if (component.equals(RawPath.UP)) {
                return null;
            }
            normal = component.equals(RawPath.HERE) ? normal : normal.resolve(component);
        }
        return normal;
    }

    /** Whether this is true of a directory above the path; the empty path is above all others. */
    static boolean isBelowAny(RawPath path, Predicate<RawPath> directory) {
        RawPath above = path;
        while (!above.isEmpty()) {
            above = above.parent();
            if (directory.test(above)) {
                return true;
            }
        }
        return false;
    }
}
