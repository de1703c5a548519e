package io.fdt.architecture.violating.cli.copy;

import io.fdt.architecture.violating.core.Fdt;

/** Forbidden: commands ask the seam to the engine, and only that knows the facade. */
final class UsesFacade {
    Fdt facade = new Fdt();
}
