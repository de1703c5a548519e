package io.fdt.rdma;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/**
 * The memory that this process has mapped for devices, including requests and events. Only such memory is marked as not
 * inherited by forked children. As a supplier, it returns the sizes before, during and after one mapping. It must run
 * in the class loader that has loaded the library.
 */
public final class MappedMemory implements Supplier<List<Integer>> {
    static final int PROBE_KIB = 8;

    public MappedMemory() {}

    static int kib() {
        try {
            int kib = 0;
            int sum = 0;
            for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
                if (line.startsWith("Size:")) {
                    kib = Integer.parseInt(line.replaceAll("[^0-9]", ""));
                } else if (line.startsWith("VmFlags:") && line.contains(" dc")) {
                    sum += kib;
                }
            }
            return sum;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public List<Integer> get() {
        int before = kib();
        long address = Verbs.map(PROBE_KIB << 10, false);
        int during = kib();
        Verbs.unmap(address, PROBE_KIB << 10);
        return List.of(before, during, kib());
    }
}
