package io.fdt.architecture.violating.core.wire;

/** Forbidden: only the command line may exit. */
final class Exits {
    private Exits() {}

    static void exit() {
        System.exit(1);
    }
}
