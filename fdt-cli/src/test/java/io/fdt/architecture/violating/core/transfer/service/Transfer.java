package io.fdt.architecture.violating.core.transfer.service;

import io.fdt.architecture.violating.core.plan.Plan;
import io.fdt.architecture.violating.core.storage.Store;

/** Allowed. */
public final class Transfer {
    Plan plan = new Plan();
    Store[] stores = {new Store()};
}
