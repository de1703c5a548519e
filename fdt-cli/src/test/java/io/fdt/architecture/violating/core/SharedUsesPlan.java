package io.fdt.architecture.violating.core;

import io.fdt.architecture.violating.core.plan.Plan;

/** Forbidden: classes that all packages may use must not use other packages. */
final class SharedUsesPlan {
    Plan plan = new Plan();
}
