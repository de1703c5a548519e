package io.fdt.core.host;

import io.fdt.core.host.Interrupt.Serves;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads {@code /proc/interrupts} and derives from an interrupt's name which queue it serves: nothing else shows it, and
 * each driver has its own naming scheme.
 */
final class InterruptTable {
    /**
     * A driver's naming scheme; the last group is the queue's number.
     *
     * @param first the number of the first queue
     */
    private record Naming(Pattern pattern, Serves serves, int first) {
        static Naming of(String pattern, Serves serves, int first) {
            return new Naming(Pattern.compile(pattern, Pattern.CASE_INSENSITIVE), serves, first);
        }
    }

    private static final List<Naming> NAMINGS = List.of(
            // mlx5_comp0@pci:0000:81:00.0
            Naming.of("mlx5_comp(\\d+)(@.*)?", Serves.RX_AND_TX, 0),
            // mlx4-1@0000:04:00.0 and mlx4-1@pci:0000:04:00.0; number 0 is for events and is called mlx4-async
            Naming.of("mlx4-(\\d+)@.*", Serves.RX_AND_TX, 1),
            // i40e-eth2-TxRx-0, ice-ens1f0-TxRx-0, eth2-TxRx-0, ena: eth0-Tx-Rx-0
            Naming.of(".*-tx-?rx-(\\d+)", Serves.RX_AND_TX, 0),
            Naming.of(".*-rx-(\\d+)", Serves.RX, 0),
            Naming.of(".*-tx-(\\d+)", Serves.TX, 0),
            // virtio2-input.0
            Naming.of("virtio\\d+-input\\.(\\d+)", Serves.RX, 0),
            Naming.of("virtio\\d+-output\\.(\\d+)", Serves.TX, 0));

    private final HostFiles files;
    private final Map<Integer, Row> rows = new LinkedHashMap<>();

    private record Row(String name, SortedMap<Integer, Long> counts) {}

    InterruptTable(HostFiles files) {
        this.files = files;
        List<String> lines = files.lines("proc/interrupts");
        if (lines.isEmpty()) {
            return;
        }
        List<Integer> cores = new ArrayList<>();
        for (String word : lines.get(0).strip().split("\\s+", -1)) {
            if (word.matches("CPU\\d{1,5}")) {
                cores.add(Integer.parseInt(word.substring(3)));
            }
        }
        lines.subList(1, lines.size()).forEach(line -> readRow(line.strip().split("\\s+", -1), cores));
    }

    /**
     * Reads {@code 45: 12 0 … PCI-MSI 524288-edge mlx5_comp0@pci:0000:81:00.0}; other rows are not interrupts of
     * devices.
     */
    private void readRow(String[] words, List<Integer> cores) {
        if (words.length < cores.size() + 2 || !words[0].matches("\\d{1,9}:")) {
            return;
        }
        SortedMap<Integer, Long> counts = new TreeMap<>();
        for (int i = 0; i < cores.size(); i++) {
            String count = words[i + 1];
            if (count.matches("\\d{1,18}") && !count.matches("0+")) {
                counts.put(cores.get(i), Long.parseLong(count));
            }
        }
        int number = Integer.parseInt(words[0].substring(0, words[0].length() - 1));
        rows.put(number, new Row(words[words.length - 1], counts));
    }

    List<Interrupt> numbered(List<Integer> numbers) {
        return chosen((number, row) -> numbers.contains(number));
    }

    /** Returns the interrupts whose names contain the text as a separate word. */
    List<Interrupt> naming(String text) {
        Pattern word = Pattern.compile("(^|[^A-Za-z0-9])" + Pattern.quote(text) + "($|[^A-Za-z0-9])");
        return chosen((number, row) -> word.matcher(row.name()).find());
    }

    private List<Interrupt> chosen(BiPredicate<Integer, Row> wanted) {
        List<Interrupt> interrupts = new ArrayList<>();
        rows.forEach((number, row) -> {
            if (wanted.test(number, row)) {
                interrupts.add(interrupt(number, row));
            }
        });
        interrupts.sort(Comparator.comparing(Interrupt::serves)
                .thenComparingInt(Interrupt::queue)
                .thenComparingInt(Interrupt::number));
        return interrupts;
    }

    private Interrupt interrupt(int number, Row row) {
        Serves serves = Serves.CONTROL;
        int queue = -1;
        for (Naming naming : NAMINGS) {
            Matcher matcher = naming.pattern().matcher(row.name());
            if (serves == Serves.CONTROL
                    && matcher.matches()
                    && matcher.group(1).length() < 6) {
                int index = Integer.parseInt(matcher.group(1)) - naming.first();
                if (index >= 0) {
                    serves = naming.serves();
                    queue = index;
                }
            }
        }
        String directory = "proc/irq/" + number;
        return new Interrupt(
                number,
                row.name(),
                serves,
                queue,
                row.counts(),
                files.list(directory + "/smp_affinity_list"),
                files.cores(directory + "/effective_affinity_list"));
    }
}
