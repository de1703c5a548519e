package io.fdt.core.transport.tcp;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    private final Map<InetAddress, Boolean> known = new ConcurrentHashMap<>();
    /** Lanes are charged by this, so a NIC that comes up later does not count. */
    private final boolean some = anyIsUp();

    /** Whether this local address is that of a fast NIC. A NIC is looked up once. */
    boolean has(InetAddress local) {
        return some && known.computeIfAbsent(local, FastNics::isFast);
    }

    private static boolean isFast(InetAddress local) {
        try {
            NetworkInterface nic = local.isLoopbackAddress() ? null : NetworkInterface.getByInetAddress(local);
            return nic != null && isFast(nic.getName()) && hasHugePages();
        } catch (SocketException e) {
            return false;
        }
    }

    /** Whether lanes of this host may send in place. */
    static boolean anyIsUp() {
        File[] nics = NICS.toFile().listFiles();
        boolean any = false;
        for (int i = 0; nics != null && i < nics.length && !any; i++) {
            any = isFast(nics[i].getName());
        }
        return any && hasHugePages();
    }

    private static boolean isFast(String nic) {
        String megabits = read(NICS.resolve(nic).resolve("speed"));
        return megabits.matches("\\d{1,9}") && Integer.parseInt(megabits) >= MIN_MEGABITS;
    }

    private static boolean hasHugePages() {
        String chosen = read(HUGE_PAGES);
        return chosen.contains("[always]") || chosen.contains("[madvise]");
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
