package io.fdt.monitor;

import io.fdt.core.HostView;
import io.fdt.monitor.figure.Sample.CoreShare;
import io.fdt.monitor.figure.Sample.NicRate;
import io.fdt.monitor.figure.Sample.PeerView;
import java.util.List;

/** A host as a sample has it and as the ends of a session tell it. Pure functions. */
final class HostViews {
    private HostViews() {}

    static HostView told(String host, List<CoreShare> cores, List<NicRate> nics) {
        return new HostView(
                host,
                cores.stream().map(HostViews::told).toList(),
                nics.stream().map(HostViews::told).toList());
    }

    private static HostView.Core told(CoreShare core) {
        return new HostView.Core(
                core.core(),
                core.node(),
                thousandths(core.user()),
                thousandths(core.nice()),
                thousandths(core.system()),
                thousandths(core.irq()),
                thousandths(core.softirq()),
                thousandths(core.iowait()),
                thousandths(core.steal()));
    }

    private static int thousandths(double share) {
        return (int) Math.round(share * HostView.WHOLE);
    }

    private static HostView.Nic told(NicRate nic) {
        return new HostView.Nic(
                nic.nic(),
                nic.speedBits(),
                nic.bond(),
                whole(nic.rxBytesPerSecond()),
                whole(nic.txBytesPerSecond()),
                whole(nic.rxDropsPerSecond()),
                whole(nic.txDropsPerSecond()));
    }

    private static long whole(double rate) {
        return rate < 0 ? -1 : Math.round(rate);
    }

    static PeerView heard(HostView view) {
        return new PeerView(
                view.host(),
                view.cores().stream().map(HostViews::heard).toList(),
                view.nics().stream().map(HostViews::heard).toList());
    }

    private static CoreShare heard(HostView.Core core) {
        return new CoreShare(
                core.core(),
                core.node(),
                share(core.user()),
                share(core.nice()),
                share(core.system()),
                share(core.irq()),
                share(core.softirq()),
                share(core.iowait()),
                share(core.steal()),
                share(core.idle()));
    }

    private static double share(int thousandths) {
        return (double) thousandths / HostView.WHOLE;
    }

    private static NicRate heard(HostView.Nic nic) {
        return new NicRate(
                nic.nic(),
                nic.speedBits(),
                nic.bond(),
                nic.rxBytesPerSecond(),
                nic.txBytesPerSecond(),
                nic.rxDropsPerSecond(),
                nic.txDropsPerSecond());
    }
}
