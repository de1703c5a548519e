package io.fdt.system;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/**
 * A kernel whose counters rise at the rates of a test: {@code /proc/stat} and the interfaces of two bonds. A process
 * that is started with {@link #inside} reads them in place of those of this machine.
 */
final class RecordedKernel implements AutoCloseable {
    private static final int TICKS_PER_SECOND = 100;
    private static final long NANOS_PER_TURN = 100_000_000;
    /** user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice. */
    private static final int MODES = 10;

    private static final int IDLE = 3;
    private static final int SOFTIRQ = 6;

    /**
     * @param softirq the share of time that each core spends in soft interrupts
     * @param sent bytes per second of the interfaces by their names
     */
    record Rates(List<Double> softirq, Map<String, Long> sent) {}

    private final Path stat;
    private final Path interfaces;
    private final Thread clock = new Thread(this::run, "recorded-kernel");
    private final AtomicReference<Rates> rates;
    private final double[][] ticks;
    private final Map<String, Double> sent = new LinkedHashMap<>();

    /** @param bonds the interfaces of each bond */
    RecordedKernel(Workplace at, Map<String, List<String>> bonds, Rates rates) throws IOException {
        this.rates = new AtomicReference<>(rates);
        this.ticks = new double[rates.softirq().size()][MODES];
        this.stat = at.directory("kernel").resolve("stat");
        this.interfaces = at.directory("kernel/net");
        Files.writeString(interfaces.resolve("bonding_masters"), String.join(" ", bonds.keySet()) + "\n");
        for (Map.Entry<String, List<String>> bond : bonds.entrySet()) {
            Path bonding = Files.createDirectories(interfaces.resolve(bond.getKey() + "/bonding"));
            Files.writeString(bonding.resolve("mode"), "802.3ad 4\n");
            Files.writeString(bonding.resolve("xmit_hash_policy"), "layer2 0\n");
            Files.writeString(bonding.resolve("slaves"), String.join(" ", bond.getValue()) + "\n");
            for (String name :
                    (Iterable<String>) Stream.concat(Stream.of(bond.getKey()), bond.getValue().stream())::iterator) {
                Files.createDirectories(interfaces.resolve(name + "/statistics"));
                Files.writeString(interfaces.resolve(name + "/mtu"), "9000\n");
                Files.writeString(interfaces.resolve(name + "/operstate"), "up\n");
                sent.put(name, 0.0);
            }
        }
        write();
        clock.setDaemon(true);
        clock.start();
    }

    /** The beginning of the command of a process that reads these counters. Needs root. */
    List<String> inside() {
        return List.of(
                "unshare",
                "--mount",
                "--propagation",
                "private",
                "sh",
                "-c",
                "mount --bind " + stat + " /proc/stat && mount --bind " + interfaces + " /sys/class/net && exec \"$@\"",
                "sh");
    }

    void become(Rates next) {
        rates.set(next);
    }

    private void run() {
        long last = System.nanoTime();
        try {
            while (true) {
                Thread.sleep(NANOS_PER_TURN / 1_000_000);
                long now = System.nanoTime();
                advance((now - last) / 1e9);
                last = now;
                write();
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void advance(double seconds) {
        Rates now = rates.get();
        for (int core = 0; core < ticks.length; core++) {
            double softirq = now.softirq().get(core);
            ticks[core][SOFTIRQ] += TICKS_PER_SECOND * seconds * softirq;
            ticks[core][IDLE] += TICKS_PER_SECOND * seconds * (1 - softirq);
        }
        now.sent().forEach((name, rate) -> sent.merge(name, rate * seconds, Double::sum));
    }

    private void write() throws IOException {
        StringBuilder text = new StringBuilder("cpu  0 0 0 0 0 0 0 0 0 0\n");
        for (int core = 0; core < ticks.length; core++) {
            List<String> words = new ArrayList<>(List.of("cpu" + core));
            for (double mode : ticks[core]) {
                words.add(number(mode));
            }
            text.append(String.join(" ", words)).append('\n');
        }
        overwrite(stat, text.toString());
        for (Map.Entry<String, Double> each : sent.entrySet()) {
            Path statistics = interfaces.resolve(each.getKey() + "/statistics");
            overwrite(statistics.resolve("tx_bytes"), number(each.getValue()) + "\n");
            overwrite(statistics.resolve("rx_bytes"), number(0) + "\n");
        }
    }

    /** Always of the same length, so that the file is never shorter while it is read. */
    private static String number(double value) {
        return "%018d".formatted((long) value);
    }

    private static void overwrite(Path path, String text) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.write(text.getBytes(StandardCharsets.US_ASCII));
        }
    }

    @Override
    public void close() {
        clock.interrupt();
        try {
            clock.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
