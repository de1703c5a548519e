package io.fdt.architecture.violating.core.plan;

import io.fdt.architecture.violating.core.Shared;

/** Allowed. */
public final class Plan {
    Shared shared = new Shared();
}
