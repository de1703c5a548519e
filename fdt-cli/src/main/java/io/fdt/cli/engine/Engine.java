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

/** What the commands ask of the engine; tests put a fake in its place. */
public interface Engine {
    /**
     * Starts a transfer. May block until the session stands; an interrupt of the calling thread ends that.
     *
     * @throws io.fdt.core.TransferException when no session came about
     */
    TransferJob copy(TransferPlan plan, NetworkOptions network, TransferObserver observer);

    /**
     * Starts a copy between two servers.
     *
     * @param source that has what is to be copied
     * @param push to the other one
     * @throws io.fdt.core.TransferException when there is no way to one of them
     */
    TransferJob copyBetween(HostPort source, TransferPlan push, NetworkOptions network, TransferObserver observer);

    /**
     * Starts a verification.
     *
     * @throws io.fdt.core.TransferException when there is no way to a server
     */
    VerifyJob verify(VerifyPlan plan, NetworkOptions network, VerifyObserver observer);

    /**
     * Starts a listing.
     *
     * @throws io.fdt.core.TransferException when there is no way to the server
     */
    ListJob list(ListPlan plan, NetworkOptions network, ListObserver observer);

    /**
     * Starts a network test.
     *
     * @throws io.fdt.core.TransferException when there is no way to the server
     */
    NettestJob nettest(NettestPlan plan, NetworkOptions network, NettestObserver observer);

    /**
     * Starts a server; it is ready when this returns.
     *
     * @throws io.fdt.core.TransferException when it cannot listen or a root cannot be served
     */
    RunningServer serve(ServerPlan plan, NetworkOptions network, ServerObserver observer);
}
