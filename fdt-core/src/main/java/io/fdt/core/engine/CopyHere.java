package io.fdt.core.engine;

import io.fdt.core.budget.ServerTotals;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.control.ServiceHere;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.LocalTarget;
import io.fdt.core.storage.posix.ClaimLocks;
import io.fdt.core.transfer.ServerRates;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.receiving.TargetClaims;
import io.fdt.core.transfer.service.ClientTransfer;
import io.fdt.core.transfer.service.TransferService;
import io.fdt.core.transport.SpreadWatch;
import java.util.List;

/**
 * A copy within this host. The receiving end is the transfer service of a server, with everything that this user may
 * write as its exported root; it is part of this process, and nothing else reaches it. It is the same copy as between
 * two hosts: verified, resumed and reported in the same way.
 */
public final class CopyHere {
    private CopyHere() {}

    public static TransferJob start(TransferPlan plan, TransferObserver observer) {
        if (plan.direction() != TransferPlan.Direction.PUSH || plan.has(CopyValue.SHARD)) {
            throw Cause.USAGE.failure("a copy within this host is a push, and not of a shard");
        }
        RawPath target = plan.target();
        if (!target.equals(TransferPlan.DEV_NULL)) {
            LocalTarget place = new LocalTarget(target);
            requireApart(place, plan);
            target = place.path();
        }
        TransferService receiving = new TransferService(
                new ExportedRoots(List.of(RawPath.ofText("/")), false, 0),
                true,
                TransferLimits.NONE,
                role -> SpreadWatch.NONE,
                new ServerRates(0, new ServerTotals()),
                ServerObserver.NONE,
                new TargetClaims(new ClaimLocks(), ServerObserver.NONE));
        TransferPlan here = plan.with(CopyValue.CLEAR_LANES, true).with(CopyValue.TARGET, target);
        return new ClientTransfer(here, new ServiceHere(receiving), role -> SpreadWatch.NONE, observer);
    }

    private static void requireApart(LocalTarget place, TransferPlan plan) {
        List<RawPath> names = plan.find(CopyValue.NAMES);
        if (names == null || plan.has(CopyValue.MIRROR)) {
            place.requireApartFrom(plan.sources(), plan.has(CopyValue.MIRROR));
            return;
        }
        RawPath directory = plan.sources().get(0);
        for (int i = 0; i < names.size(); i += plan.isPaired() ? 2 : 1) {
            RawPath copy = place.path().resolve(names.get(plan.isPaired() ? i + 1 : i));
            new LocalTarget(copy).requireNotWithin(directory.resolve(names.get(i)));
        }
    }
}
