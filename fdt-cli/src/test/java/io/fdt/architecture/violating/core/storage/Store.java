package io.fdt.architecture.violating.core.storage;

import io.fdt.architecture.violating.core.plan.Plan;

/** Allowed, and the other half of a cycle. */
public final class Store {
    Plan plan = new Plan();
}
