package io.fdt.system;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A network namespace of a guest of {@code scripts/lab}, standing for a host: with interfaces of its own, and with the
 * files of the guest. It goes with what is in it when it is closed. Nothing is made outside of the lab.
 *
 * <p>Its counters are read through a process that sleeps there: a command for each look would keep an emulated machine
 * busy.
 */
final class LabHost implements AutoCloseable {
    private final String name;
    private final Process sleeper;

    private LabHost(String name, Process sleeper) {
        this.name = name;
        this.sleeper = sleeper;
    }

    /** Makes an empty host; the name is its name in the kernel, too. */
    static LabHost named(String name) {
        if (System.getenv("FDT_LAB") == null) {
            throw new AssertionError(
                    "this changes the network of its machine: scripts/lab test runs it in one of its own");
        }
        Shell.ok("ip", "netns", "add", name);
        try {
            Process sleeper = new ProcessBuilder(
                            "ip",
                            "netns",
                            "exec",
                            name,
                            "sh",
                            "-c",
                            "ip link set lo up && echo up && exec sleep infinity")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            LabHost host = new LabHost(name, sleeper);
            if (!"up".equals(firstLine(sleeper))) {
                host.close();
                throw new AssertionError("nothing runs in the network namespace " + name);
            }
            return host;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String firstLine(Process process) throws IOException {
        BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        return String.valueOf(reader.readLine());
    }

    /** Joins two hosts by a pair of interfaces that have this name on both sides and are down. */
    static void join(LabHost one, LabHost other, String wire) {
        Shell.ok("ip", "-n", one.name, "link", "add", wire, "type", "veth", "peer", "name", wire, "netns", other.name);
        // Else a packet would be up to 64 KiB here, and its loss that of forty real ones.
        one.ok("ethtool", "-K", wire, "tso", "off", "gso", "off", "gro", "off");
        other.ok("ethtool", "-K", wire, "tso", "off", "gso", "off", "gro", "off");
    }

    /** Gives an interface an address and brings it up. */
    void up(String wire, String address) {
        ok("ip", "address", "add", address, "dev", wire);
        ok("ip", "link", "set", wire, "up");
    }

    /** What a command printed that must succeed on this host. */
    String ok(Object... command) {
        return Shell.ok(inside(Shell.words(command)).toArray());
    }

    /** The same process, but on this host. */
    FdtProcess.Setup inside(FdtProcess.Setup setup) {
        return new FdtProcess.Setup(setup.name(), inside(setup.command()), setup.environment(), setup.directory());
    }

    private List<String> inside(List<String> command) {
        // It becomes the command and does not stay its parent, so that a signal reaches that.
        List<String> words = new ArrayList<>(List.of("ip", "netns", "exec", name));
        words.addAll(command);
        return words;
    }

    /**
     * Starts a server of the directory {@code remote} on an address of this host; the clients of the test have its key.
     */
    FdtServer serve(Workplace at, String address) throws IOException {
        Path root = at.directory("remote");
        String key = at.fdt("key", "show").expectExit(0).out().get(0);
        Path line = Files.writeString(at.path("key"), key + "\n");
        FdtProcess process = at.track(FdtProcess.start(
                // Eight handshakes at once take long where all is emulated.
                inside(at.setup(
                        "server",
                        "server",
                        "--json",
                        "--handshake-timeout",
                        "120s",
                        "--listen",
                        address + ":0",
                        "--root",
                        root))));
        FdtServer server = FdtServer.whenReady(process, root);
        at.fdt("key", "import", "--server", address + ":" + server.port(), line).expectExit(0);
        return server;
    }

    /** Starts a copy on this host. */
    FdtProcess startCopy(Workplace at, Object... arguments) {
        List<Object> words = new ArrayList<>(List.of("client", "--json"));
        words.addAll(List.of(arguments));
        return at.track(FdtProcess.start(inside(at.setup("client", words.toArray()))));
    }

    /** The bytes that an interface has sent. */
    long sentBytes(String wire) {
        return counters(8, wire)[0];
    }

    /** The bytes that interfaces have sent, all at one moment. */
    long[] sentBytes(String... wires) {
        return counters(8, wires);
    }

    /** The bytes that an interface has received. */
    long receivedBytes(String wire) {
        return counters(0, wire)[0];
    }

    /** The bytes that interfaces have received, all at one moment. */
    long[] receivedBytes(String... wires) {
        return counters(0, wires);
    }

    private long[] counters(int column, String... wires) {
        String all = kernel("dev");
        return Stream.of(wires)
                .map(wire -> lineAfter(all, wire + ":").strip().split("\\s+", -1)[column])
                .mapToLong(Long::parseLong)
                .toArray();
    }

    /** A counter of TCP on this host, as {@code InCsumErrors}. */
    long tcp(String counter) {
        List<String> lines =
                kernel("snmp").lines().filter(line -> line.startsWith("Tcp:")).toList();
        int column = List.of(lines.get(0).split(" ", -1)).indexOf(counter);
        return Long.parseLong(lines.get(1).split(" ", -1)[column]);
    }

    /** Whether a bond takes an interface of its own for usable. */
    boolean isUp(String bond, String wire) {
        String section = kernel("bonding/" + bond).split("Slave Interface: " + wire + "\n", -1)[1];
        return lineAfter(section, "MII Status:").strip().equals("up");
    }

    private String kernel(String file) {
        return Trees.text(Path.of("/proc/" + sleeper.pid() + "/net/" + file));
    }

    private static String lineAfter(String text, String label) {
        return text.lines()
                .map(String::strip)
                .filter(line -> line.startsWith(label))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + label + " in\n" + text))
                .substring(label.length());
    }

    @Override
    public void close() {
        sleeper.destroyForcibly();
        Shell.ok("ip", "netns", "delete", name);
    }
}
