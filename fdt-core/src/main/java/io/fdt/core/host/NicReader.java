package io.fdt.core.host;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the network interfaces below {@code /sys/class/net}, except loopback. */
final class NicReader {
    private static final String NET = "sys/class/net/";
    private static final long BITS_PER_MEGABIT = 1_000_000;
    private static final List<String> COUNTERS = List.of(
            "rx_bytes",
            "tx_bytes",
            "rx_packets",
            "tx_packets",
            "rx_errors",
            "rx_dropped",
            "rx_missed_errors",
            "rx_fifo_errors",
            "tx_dropped",
            "tx_errors");

    private final HostFiles files;
    private final InterruptTable interrupts;
    /** Rings and offloads, which no kernel file shows; null if they cannot be read. */
    private final Function<String, @Nullable NicSettings> settings;

    NicReader(HostFiles files) {
        this.files = files;
        this.interrupts = new InterruptTable(files);
        this.settings = files.path("").equals(Path.of("/")) ? new EthtoolCalls()::of : this::recordedSettings;
    }

    List<Nic> read() {
        // The directory also contains bonding_masters, which is a file.
        return files.names("sys/class/net").stream()
                .filter(name -> !name.equals("lo") && files.exists(NET + name + "/mtu"))
                .map(this::nic)
                .toList();
    }

    private Nic nic(String name) {
        String directory = NET + name;
        boolean hardware = files.exists(directory + "/device");
        String device = directory + "/device";
        // The device of a virtio NIC is a child of the PCI device.
        String pciDevice = files.exists(device + "/msi_irqs") || !hardware ? device : above(device);
        long megabits = files.number(directory + "/speed", 0);
        return new Nic(
                name,
                new Nic.Device(
                        hardware ? files.variable(device + "/uevent", "DRIVER") : "",
                        hardware,
                        node(device, pciDevice),
                        hardware ? pci(device, pciDevice) : null,
                        settings.apply(name)),
                new Nic.Link(
                        files.text(directory + "/operstate").equals("up"),
                        Math.max(0, megabits) * BITS_PER_MEGABIT,
                        (int) files.number(directory + "/mtu", 0)),
                new Nic.Queues(
                        queues(directory, "rx-", "/rps_cpus"),
                        queues(directory, "tx-", "/xps_cpus"),
                        hardware ? interrupts(name, device, pciDevice) : List.of()),
                counters(directory));
    }

    /**
     * A recorded host has them in lines such as {@code rx-ring 1024 8192}, {@code generic-receive-offload on} and
     * {@code gso_max_size 65536}.
     */
    private @Nullable NicSettings recordedSettings(String nic) {
        int[] rings = new int[4];
        SortedMap<String, Boolean> offloads = new TreeMap<>();
        SortedMap<String, Long> packetBytes = new TreeMap<>();
        for (String line : files.lines("ethtool/" + nic)) {
            String[] words = line.strip().split("\\s+", -1);
            if (line.matches("[rt]x-ring \\d{1,9} \\d{1,9}")) {
                int at = words[0].startsWith("rx") ? 0 : 2;
                rings[at] = Integer.parseInt(words[1]);
                rings[at + 1] = Integer.parseInt(words[2]);
            } else if (line.matches("[a-z0-9_]+_max_size \\d{1,9}")) {
                packetBytes.put(words[0], Long.parseLong(words[1]));
            } else if (words.length == 2) {
                offloads.put(words[0], words[1].equals("on"));
            }
        }
        return rings[0] == 0 && offloads.isEmpty() && packetBytes.isEmpty()
                ? null
                : new NicSettings(new NicSettings.Rings(rings[0], rings[1], rings[2], rings[3]), offloads, packetBytes);
    }

    private String above(String device) {
        String real = files.real(device);
        int slash = real.lastIndexOf('/');
        return real.equals(device) || slash < 0 ? device : real.substring(0, slash);
    }

    private int node(String device, String pciDevice) {
        return (int) files.number(device + "/numa_node", files.number(pciDevice + "/numa_node", -1));
    }

    private List<NicQueue> queues(String directory, String prefix, String maskFile) {
        List<NicQueue> queues = new ArrayList<>();
        for (int index : files.numbers(directory + "/queues", prefix)) {
            String queue = directory + "/queues/" + prefix + index;
            queues.add(new NicQueue(index, files.mask(queue + maskFile), files.number(queue + "/rps_flow_cnt", -1)));
        }
        return queues;
    }

    private List<Interrupt> interrupts(String name, String device, String pciDevice) {
        List<Integer> numbers = files.numbers(pciDevice + "/msi_irqs", "");
        if (!numbers.isEmpty()) {
            List<Interrupt> all = interrupts.numbered(numbers);
            // Interfaces of one PCI function share its list of interrupts; those whose names contain the interface are
            // its own.
            List<Interrupt> own = all.stream()
                    .filter(interrupt -> interrupt.serves() == Interrupt.Serves.CONTROL
                            || interrupt.name().contains("-" + name + "-")
                            || interrupt.name().startsWith(name + "-"))
                    .toList();
            return own.stream().anyMatch(interrupt -> interrupt.serves() != Interrupt.Serves.CONTROL) ? own : all;
        }
        List<Interrupt> named = interrupts.naming(name);
        String address = files.variable(device + "/uevent", "PCI_SLOT_NAME");
        return named.isEmpty() && !address.isEmpty() ? interrupts.naming(address) : named;
    }

    /** Reads only the PCI link of an interface. */
    @Nullable PciLink pciOf(String name) {
        String device = NET + name + "/device";
        return files.exists(device) ? pci(device, files.exists(device + "/msi_irqs") ? device : above(device)) : null;
    }

    private @Nullable PciLink pci(String device, String pciDevice) {
        String address = files.variable(device + "/uevent", "PCI_SLOT_NAME");
        if (address.isEmpty()) {
            address = files.variable(pciDevice + "/uevent", "PCI_SLOT_NAME");
        }
        PciLink link = new PciLink(
                address,
                gigatransfers(files.text(device + "/current_link_speed")),
                width(device + "/current_link_width"),
                gigatransfers(files.text(device + "/max_link_speed")),
                width(device + "/max_link_width"),
                readRequest(pciDevice + "/config"));
        return link.isKnown() ? link : null;
    }

    private int readRequest(String path) {
        String config = files.exact(path);
        return config == null ? 0 : PciConfig.readRequestBytes(config);
    }

    /** At most 254 lanes: drivers report 255 or more if they do not know the width. */
    private int width(String path) {
        long width = files.number(path, 0);
        return width > 0 && width < 255 ? (int) width : 0;
    }

    /** Parses {@code 8.0 GT/s PCIe}, or {@code 8 GT/s} from older kernels. */
    private static double gigatransfers(String text) {
        return text.matches("\\d{1,3}(\\.\\d{1,3})? GT/s.*")
                ? Double.parseDouble(text.substring(0, text.indexOf(' ')))
                : 0;
    }

    private SortedMap<String, Long> counters(String directory) {
        SortedMap<String, Long> counters = new TreeMap<>();
        for (String name : COUNTERS) {
            long value = files.number(directory + "/statistics/" + name, -1);
            if (value >= 0) {
                counters.put(name, value);
            }
        }
        return counters;
    }
}
