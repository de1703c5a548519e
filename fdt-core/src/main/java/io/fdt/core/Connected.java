package io.fdt.core;

import io.fdt.core.listing.Operations;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;

/**
 * Access to one server for many jobs, which share its threads, keys and encryption state. Closing ends the operations,
 * and waits for no copy. Thread-safe.
 */
public interface Connected extends AutoCloseable {
    /** Like {@link Fdt#copy(TransferPlan, TransferObserver)}; the plan must name this server. */
    TransferJob copy(TransferPlan plan, TransferObserver observer);

    /** All use the same session. Closed with this. */
    Operations operations();

    @Override
    void close();
}
