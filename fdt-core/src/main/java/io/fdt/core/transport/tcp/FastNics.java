package io.fdt.core.transport.tcp;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which of this host's NICs are fast enough for sends in place: those that a core which copies can hardly fill. None is
 * without huge pages, with which alone such sends are faster than copying. Thread-safe.
 */
final class FastNics {
    private static final int MIN_MEGABITS = 25_000;
    private static final Path NICS = Path.of("/sys/class/net");
    private static final Path HUGE_PAGES = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

    private final Path nics;
    private final Map<InetAddress, Boolean> known = new ConcurrentHashMap<>();
    /** Lanes are charged by this, so a NIC that comes up later does not count. */
    private final boolean some;

    FastNics() {
        this(NICS, HUGE_PAGES);
    }

    /** With the kernel's directory of NICs, and its file that says which memory gets huge pages. */
    FastNics(Path nics, Path hugePages) {
        this.nics = nics;
        String chosen = read(hugePages);
        this.some = (chosen.contains("[always]") || chosen.contains("[madvise]")) && anyIsUp();
    }

    /** Whether this local address is that of a fast NIC. A NIC is looked up once. */
    boolean has(InetAddress local) {
        return some && known.computeIfAbsent(local, this::isFast);
    }

    /** Whether lanes of this host may send in place. */
    boolean hasSome() {
        return some;
    }

    private boolean anyIsUp() {
        File[] all = nics.toFile().listFiles();
        return all != null && Arrays.stream(all).anyMatch(nic -> isFast(nic.getName()));
    }

    private boolean isFast(InetAddress local) {
        try {
            NetworkInterface nic = local.isLoopbackAddress() ? null : NetworkInterface.getByInetAddress(local);
            return nic != null && isFast(nic.getName());
        } catch (SocketException e) {
            return false;
        }
    }

    private boolean isFast(String nic) {
        String megabits = read(nics.resolve(nic).resolve("speed"));
        return megabits.matches("\\d{1,9}") && Integer.parseInt(megabits) >= MIN_MEGABITS;
    }

    /** Empty for a NIC that is down or has no speed. */
    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
