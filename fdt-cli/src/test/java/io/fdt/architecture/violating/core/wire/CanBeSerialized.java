package io.fdt.architecture.violating.core.wire;

import java.io.Serializable;

/** Forbidden. */
final class CanBeSerialized implements Serializable {
    private static final long serialVersionUID = 1;
}
