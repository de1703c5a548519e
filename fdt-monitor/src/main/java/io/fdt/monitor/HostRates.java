package io.fdt.monitor;

import io.fdt.core.basic.HostView;
import io.fdt.monitor.HostFigures.CoreTicks;
import io.fdt.monitor.HostFigures.DiskFigures;
import io.fdt.monitor.HostFigures.Mode;
import io.fdt.monitor.HostFigures.QueueFigures;
import io.fdt.monitor.HostFigures.Requests;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.Sample.QueueRate;
import io.fdt.monitor.figure.Sample.RootState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The activity of a host between two moments. Pure functions. */
final class HostRates {
    private static final long MICROS_IN_MS = 1000;

    private HostRates() {}

    /** The rates of each part that existed before; parts without valid rates are left out. */
    private static <T, R> List<R> each(
            List<T> earlier, List<T> later, Function<T, Object> key, BiFunction<T, T, @Nullable R> rate) {
        Map<Object, T> before = new HashMap<>();
        earlier.forEach(part -> before.put(key.apply(part), part));
        List<R> rates = new ArrayList<>();
        for (T part : later) {
            T first = before.get(key.apply(part));
            R found = first == null ? null : rate.apply(first, part);
            if (found != null) {
                rates.add(found);
            }
        }
        return rates;
    }

    static HostView view(String host, HostFigures earlier, HostFigures later, double seconds) {
        return new HostView(host, cores(earlier, later), nics(earlier, later, seconds));
    }

    /** A core without new counts is left out. */
    static List<HostView.Core> cores(HostFigures earlier, HostFigures later) {
        return each(earlier.cores(), later.cores(), CoreTicks::core, HostRates::share);
    }

    private static HostView.@Nullable Core share(CoreTicks first, CoreTicks last) {
        long[] ticks = new long[last.ticks().length];
        for (int i = 0; i < ticks.length; i++) {
            // The kernel's idle and iowait counters may fall by a tick.
            ticks[i] = Math.max(0, last.ticks()[i] - first.ticks()[i]);
        }
        CoreTicks spent = new CoreTicks(last.core(), last.node(), ticks);
        double total = spent.total();
        return total == 0
                ? null
                : new HostView.Core(
                        spent.core(),
                        spent.node(),
                        new HostView.Shares(
                                spent.get(Mode.USER) / total,
                                spent.get(Mode.NICE) / total,
                                spent.get(Mode.SYSTEM) / total,
                                spent.get(Mode.IRQ) / total,
                                spent.get(Mode.SOFTIRQ) / total,
                                spent.get(Mode.IOWAIT) / total,
                                spent.get(Mode.STEAL) / total));
    }

    static List<HostView.Nic> nics(HostFigures earlier, HostFigures later, double seconds) {
        return each(
                earlier.nics(),
                later.nics(),
                nic -> nic.nic().name(),
                (first, nic) -> new HostView.Nic(
                        nic.nic().name(),
                        nic.nic().link().bitsPerSecond() == 0
                                ? -1
                                : nic.nic().link().bitsPerSecond(),
                        nic.bond(),
                        rate(first.received().bytes(), nic.received().bytes(), seconds),
                        rate(first.sent().bytes(), nic.sent().bytes(), seconds),
                        rate(first.received().drops(), nic.received().drops(), seconds),
                        rate(first.sent().drops(), nic.sent().drops(), seconds)));
    }

    static List<QueueRate> queues(HostFigures earlier, HostFigures later, double seconds) {
        return each(
                earlier.queues(),
                later.queues(),
                QueueFigures::irq,
                (first, queue) -> new QueueRate(
                        queue.nic(),
                        queue.queue(),
                        queue.irq(),
                        busiestCore(first, queue),
                        rate(first.total(), queue.total(), seconds)));
    }

    static List<RootState> roots(HostFigures earlier, HostFigures later, double seconds) {
        return each(earlier.roots(), later.roots(), figures -> figures.root().path(), (first, last) -> {
            ExportedRoot root = last.root();
            DiskFigures before = first.disk();
            DiskFigures after = last.disk();
            Sample.Room room = new Sample.Room(root.freeBytes(), root.sizeBytes());
            if (before == null || after == null || !first.root().device().equals(root.device())) {
                return new RootState(
                        root.path(), root.device(), room, Sample.DiskRate.UNKNOWN, Sample.DiskRate.UNKNOWN);
            }
            return new RootState(
                    root.path(),
                    root.device(),
                    room,
                    disk(before.reads(), after.reads(), seconds),
                    disk(before.writes(), after.writes(), seconds));
        });
    }

    private static Sample.DiskRate disk(Requests first, Requests last, double seconds) {
        long count = last.count() - first.count();
        return new Sample.DiskRate(
                rate(first.bytes(), last.bytes(), seconds),
                count <= 0 ? -1 : MICROS_IN_MS * Math.max(0, last.ms() - first.ms()) / count);
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
