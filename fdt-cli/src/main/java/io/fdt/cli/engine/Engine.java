package io.fdt.cli.engine;

import io.fdt.cli.value.HostPort;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.listing.ListJob;
import io.fdt.core.listing.ListObserver;
import io.fdt.core.listing.ListPlan;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.verify.VerifyJob;
import io.fdt.core.verify.VerifyObserver;
import io.fdt.core.verify.VerifyPlan;

/** The interface from commands to the engine; tests replace it. Each call throws if it cannot start. */
public interface Engine {
    /** Starts a transfer. May block until the session is established; an interrupt of the calling thread ends that. */
    TransferJob copy(TransferPlan plan, NetworkOptions network, TransferObserver observer);

    /** Starts a copy between two servers, in which the source pushes to the other server. */
    TransferJob copyBetween(HostPort source, TransferPlan push, NetworkOptions network, TransferObserver observer);

    VerifyJob verify(VerifyPlan plan, NetworkOptions network, VerifyObserver observer);

    ListJob list(ListPlan plan, NetworkOptions network, ListObserver observer);

    NettestJob nettest(NettestPlan plan, NetworkOptions network, NettestObserver observer);

    /** Starts a server, which is ready when this returns. */
    RunningServer serve(ServerPlan plan, NetworkOptions network, ServerObserver observer);
}
