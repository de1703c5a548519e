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
 * A network namespace in a guest of {@code scripts/lab} that represents a host. It has its own interfaces, and it
 * shares the file system of the guest. Closing it removes everything in it. Nothing is created outside of the lab.
 *
 * <p>Its counters are read through a process that sleeps in the namespace: one command for each reading would keep an
 * emulated machine busy.
 */
final class LabHost implements AutoCloseable {
    private final String name;
    private final Process sleeper;

    private LabHost(String name, Process sleeper) {
        this.name = name;
        this.sleeper = sleeper;
    }

    /** Creates a host without interfaces. The network namespace has the same name. */
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

    /** Connects two hosts with a pair of interfaces. Both have this name, and both are down. */
    static void join(LabHost one, LabHost other, String wire) {
        Shell.ok("ip", "-n", one.name, "link", "add", wire, "type", "veth", "peer", "name", wire, "netns", other.name);
        // Otherwise a packet would be up to 64 KiB here, and its loss would be the loss of forty real packets.
        one.ok("ethtool", "-K", wire, "tso", "off", "gso", "off", "gro", "off");
        other.ok("ethtool", "-K", wire, "tso", "off", "gso", "off", "gro", "off");
    }

    /** Assigns an address to an interface and brings it up. */
    void up(String wire, String address) {
        ok("ip", "address", "add", address, "dev", wire);
        ok("ip", "link", "set", wire, "up");
    }

    /** Runs a command on this host that must succeed, and returns its output. */
    String ok(Object... command) {
        return Shell.ok(inside(Shell.words(command)).toArray());
    }

    FdtProcess.Setup inside(FdtProcess.Setup setup) {
        return new FdtProcess.Setup(setup.name(), inside(setup.command()), setup.environment(), setup.directory());
    }

    private List<String> inside(List<String> command) {
        // The command replaces this process instead of becoming its child, so that a signal reaches the command.
        List<String> words = new ArrayList<>(List.of("ip", "netns", "exec", name));
        words.addAll(command);
        return words;
    }

    /**
     * Starts a server for the directory {@code remote} on an address of this host. The clients of the test have its
     * key.
     */
    FdtServer serve(Workplace at, String address) throws IOException {
        Path root = at.directory("remote");
        String key = at.fdt("key", "show").expectExit(0).out().get(0);
        Path line = Files.writeString(at.path("key"), key + "\n");
        FdtProcess process = at.track(FdtProcess.start(
                // Eight simultaneous handshakes take long in emulation.
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

    FdtProcess startCopy(Workplace at, Object... arguments) {
        List<Object> words = new ArrayList<>(List.of("client", "--json"));
        words.addAll(List.of(arguments));
        return at.track(FdtProcess.start(inside(at.setup("client", words.toArray()))));
    }

    long sentBytes(String wire) {
        return counters(8, wire)[0];
    }

    /** The numbers of bytes that interfaces have sent, read at the same time. */
    long[] sentBytes(String... wires) {
        return counters(8, wires);
    }

    long receivedBytes(String wire) {
        return counters(0, wire)[0];
    }

    /** The numbers of bytes that interfaces have received, read at the same time. */
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

    /** A TCP counter of this host, such as {@code InCsumErrors}. */
    long tcp(String counter) {
        List<String> lines =
                kernel("snmp").lines().filter(line -> line.startsWith("Tcp:")).toList();
        int column = List.of(lines.get(0).split(" ", -1)).indexOf(counter);
        return Long.parseLong(lines.get(1).split(" ", -1)[column]);
    }

    /** Whether a bond considers one of its interfaces usable. */
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
