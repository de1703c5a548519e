package io.fdt.core.transfer;

import io.fdt.core.control.Session;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transport.SpreadWatch;

/**
 * What either side of a copy uses, besides its sources or targets. For the session's thread, except for the figures.
 *
 * @param request as both sides know it
 * @param limits of this side
 * @param rate of this side, besides the limit of the request
 * @param spread watches the distribution of the lanes over the links of this host
 */
public record SessionParts(
        Session session,
        TransferPlan request,
        Ledger ledger,
        LaneWatch lanes,
        LimitGate limits,
        RateLimit rate,
        SpreadWatch spread) {

    public static SessionParts of(
            Session session,
            TransferPlan request,
            Ledger ledger,
            LimitGate limits,
            RateLimit rate,
            SpreadWatch spread) {
        LaneWatch lanes =
                new LaneWatch(session.clock(), session.peer(), ledger.figures(), request.get(CopyValue.TIMEOUT_MS));
        return new SessionParts(session, request, ledger, lanes, limits, rate, spread);
    }

    public TransferFigures figures() {
        return ledger.figures();
    }
}
