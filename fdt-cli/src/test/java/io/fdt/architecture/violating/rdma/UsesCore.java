package io.fdt.architecture.violating.rdma;

import io.fdt.architecture.violating.core.Fdt;
import io.fdt.architecture.violating.core.transfer.service.Transfer;

/** Allowed: a module above core. */
final class UsesCore {
    Transfer transfer = new Fdt().transfer();
}
