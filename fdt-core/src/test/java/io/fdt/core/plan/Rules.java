package io.fdt.core.plan;

import io.fdt.core.plan.TargetRules.Comparison;
import io.fdt.core.plan.TargetRules.DirectIo;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TargetRules.Preserve;
import java.util.Set;

/** Plans for tests of targets, which delete nothing and keep no newer files. */
public final class Rules {
    private Rules() {}

    public static TransferPlan of(
            Existing existing, Comparison comparison, Durability durability, boolean resume, Set<Preserve> preserve) {
        return TransferPlan.EMPTY
                .with(CopyValue.EXISTING, existing)
                .with(CopyValue.COMPARE, comparison)
                .with(CopyValue.DURABLE, durability)
                .with(CopyValue.RESUME, resume)
                .with(CopyValue.PRESERVE, preserve);
    }

    public static TransferPlan of(
            Existing existing,
            Comparison comparison,
            Durability durability,
            boolean resume,
            Set<Preserve> preserve,
            DirectIo directIo) {
        return of(existing, comparison, durability, resume, preserve).with(CopyValue.DIRECT_IO, directIo);
    }
}
