package io.fdt.architecture.violating.core.plan;

import io.fdt.architecture.violating.core.storage.Store;

/** Forbidden: the plan must not use storage. Also one half of a cycle. */
final class UsesStorage {
    Store store = new Store();
}
