package io.fdt.architecture.violating.core.wire;

/** Allowed: an exception only inherits {@code Serializable}. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    enum Reason {
        TOO_LONG
    }
}
