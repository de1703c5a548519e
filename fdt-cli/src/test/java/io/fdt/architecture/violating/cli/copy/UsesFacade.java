package io.fdt.architecture.violating.cli.copy;

import io.fdt.architecture.violating.core.Fdt;

/** Forbidden: commands use the interface to the engine, and only that uses the facade. */
final class UsesFacade {
    Fdt facade = new Fdt();
}
