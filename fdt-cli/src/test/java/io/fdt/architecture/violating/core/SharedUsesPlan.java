package io.fdt.architecture.violating.core;

import io.fdt.architecture.violating.core.plan.Plan;

/** Forbidden: what is open to all uses none. */
final class SharedUsesPlan {
    Plan plan = new Plan();
}
