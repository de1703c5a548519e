package io.fdt.monitor;

import io.fdt.core.HostView;
import io.fdt.monitor.HostFigures.CoreTicks;
import io.fdt.monitor.HostFigures.Mode;
import io.fdt.monitor.HostFigures.NicFigures;
import io.fdt.monitor.HostFigures.QueueFigures;
import io.fdt.monitor.figure.Sample.QueueRate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The activity of a host between two moments. Pure functions. */
final class HostRates {
    private HostRates() {}

    /** Returns the load of each core; omits cores that were not there before, or did not count. */
    static List<HostView.Core> cores(HostFigures earlier, HostFigures later) {
        Map<Integer, CoreTicks> before = new HashMap<>();
        earlier.cores().forEach(core -> before.put(core.core(), core));
        List<HostView.Core> shares = new ArrayList<>();
        for (CoreTicks core : later.cores()) {
            CoreTicks first = before.get(core.core());
            HostView.Core share = first == null ? null : share(first, core);
            if (share != null) {
                shares.add(share);
            }
        }
        return shares;
    }

    private static HostView.@Nullable Core share(CoreTicks first, CoreTicks last) {
        double[] spent = new double[Mode.values().length];
        double total = 0;
        for (int i = 0; i < spent.length; i++) {
            // The kernel's idle and iowait counters may fall by a tick.
            spent[i] = Math.max(0, last.ticks()[i] - first.ticks()[i]);
            total += spent[i];
        }
        if (total == 0) {
            return null;
        }
        for (int i = 0; i < spent.length; i++) {
            spent[i] /= total;
        }
        return new HostView.Core(
                last.core(),
                last.node(),
                spent[index(Mode.USER)],
                spent[index(Mode.NICE)],
                spent[index(Mode.SYSTEM)],
                spent[index(Mode.IRQ)],
                spent[index(Mode.SOFTIRQ)],
                spent[index(Mode.IOWAIT)],
                spent[index(Mode.STEAL)],
                spent[index(Mode.IDLE)]);
    }

    @SuppressWarnings("EnumOrdinal") // an index into memory, never stored or sent
    private static int index(Mode mode) {
        return mode.ordinal();
    }

    static List<HostView.Nic> nics(HostFigures earlier, HostFigures later, double seconds) {
        Map<String, NicFigures> before = new HashMap<>();
        earlier.nics().forEach(nic -> before.put(nic.nic().name(), nic));
        List<HostView.Nic> rates = new ArrayList<>();
        for (NicFigures nic : later.nics()) {
            NicFigures first = before.get(nic.nic().name());
            if (first != null) {
                rates.add(new HostView.Nic(
                        nic.nic().name(),
                        nic.nic().speedBitsPerSecond() == 0 ? -1 : nic.nic().speedBitsPerSecond(),
                        nic.bond(),
                        rate(first.rxBytes(), nic.rxBytes(), seconds),
                        rate(first.txBytes(), nic.txBytes(), seconds),
                        rate(first.rxDrops(), nic.rxDrops(), seconds),
                        rate(first.txDrops(), nic.txDrops(), seconds)));
            }
        }
        return rates;
    }

    static List<QueueRate> queues(HostFigures earlier, HostFigures later, double seconds) {
        Map<Integer, QueueFigures> before = new HashMap<>();
        earlier.queues().forEach(queue -> before.put(queue.irq(), queue));
        List<QueueRate> rates = new ArrayList<>();
        for (QueueFigures queue : later.queues()) {
            QueueFigures first = before.get(queue.irq());
            if (first != null) {
                rates.add(new QueueRate(
                        queue.nic(),
                        queue.queue(),
                        queue.irq(),
                        busiestCore(first, queue),
                        rate(first.total(), queue.total(), seconds)));
            }
        }
        return rates;
    }

    /** Returns the core that handled most of them meanwhile; the configured one if there were none. */
    private static int busiestCore(QueueFigures first, QueueFigures last) {
        int core = last.core();
        long most = 0;
        for (int i = 0; i < Math.min(first.counts().length, last.counts().length); i++) {
            long taken = last.counts()[i] - first.counts()[i];
            if (taken > most) {
                most = taken;
                core = last.cores()[i];
            }
        }
        return core;
    }

    /** Negative if unknown; 0 if the counter was reset. */
    private static double rate(long first, long last, double seconds) {
        return first < 0 || last < 0 || seconds <= 0 ? -1 : Math.max(0, last - first) / seconds;
    }
}
