package io.fdt.core.plan;

import io.fdt.core.plan.TargetRules.Comparison;
import io.fdt.core.plan.TargetRules.DirectIo;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TargetRules.Writing;
import java.util.Set;

/** Rules for tests that delete nothing and keep no newer files. */
public final class Rules {
    private Rules() {}

    public static TargetRules of(
            Existing existing, Comparison comparison, Durability durability, boolean resume, Set<Preserve> preserve) {
        return of(existing, comparison, durability, resume, preserve, DirectIo.AUTO);
    }

    public static TargetRules of(
            Existing existing,
            Comparison comparison,
            Durability durability,
            boolean resume,
            Set<Preserve> preserve,
            DirectIo directIo) {
        return new TargetRules(
                existing, comparison, new Writing(durability, directIo), resume, preserve, Set.of(), null);
    }
}
