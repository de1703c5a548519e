package io.fdt.cli;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;

/** Stands where the engine will: says that there is none. */
final class MissingEngine implements Engine {
    @Override
    public TransferJob copy(TransferPlan plan, NetworkOptions network, TransferObserver observer) {
        throw new TransferException(FailureKind.INTERNAL, "this build has no engine");
    }

    @Override
    public RunningServer serve(ServerPlan plan, NetworkOptions network, ServerObserver observer) {
        throw new TransferException(FailureKind.INTERNAL, "this build has no engine");
    }
}
