package io.fdt.architecture.violating.core.wire;

/** Allowed: an exception inherits what it does not ask for. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    enum Reason {
        TOO_LONG
    }
}
