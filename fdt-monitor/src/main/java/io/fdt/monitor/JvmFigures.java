package io.fdt.monitor;

import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;

/** The memory and the garbage collection of this JVM. */
final class JvmFigures {
    private static final double MILLIS = 1e3;

    private JvmFigures() {}

    static List<Figure> read() {
        FigureList list = new FigureList();
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            MemoryUsage usage = pool.getUsage();
            if (usage != null) {
                String area = pool.getType() == MemoryType.HEAP ? "heap" : "nonheap";
                list.add(Meter.JVM_MEMORY_USED, usage.getUsed(), area, pool.getName());
                list.add(Meter.JVM_MEMORY_COMMITTED, usage.getCommitted(), area, pool.getName());
                list.addKnown(Meter.JVM_MEMORY_MAX, usage.getMax(), area, pool.getName());
            }
        }
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            list.addKnown(Meter.JVM_BUFFERS, pool.getCount(), pool.getName());
            list.addKnown(Meter.JVM_BUFFER_USED, pool.getMemoryUsed(), pool.getName());
            list.addKnown(Meter.JVM_BUFFER_CAPACITY, pool.getTotalCapacity(), pool.getName());
        }
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            list.addKnown(Meter.JVM_GC_COLLECTIONS, collector.getCollectionCount(), collector.getName());
            if (collector.getCollectionTime() >= 0) {
                list.add(Meter.JVM_GC_SECONDS, collector.getCollectionTime() / MILLIS, collector.getName());
            }
        }
        return list.figures();
    }
}
