package io.fdt.monitor;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Determines by which NICs a connection's packets arrive: the interface with its local address and those below it, such
 * as the slaves of a bond. For the sampler's thread.
 */
final class LaneNics {
    private static final String LOWER = "lower_";

    private final Path interfaces;
    private final Function<InetAddress, @Nullable String> interfaceOf;
    private final Map<InetAddress, Set<String>> known = new HashMap<>();

    /** @param root contains {@code sys} */
    LaneNics(Path root, Function<InetAddress, @Nullable String> interfaceOf) {
        this.interfaces = root.resolve("sys/class/net");
        this.interfaceOf = interfaceOf;
    }

    /** Clears the cache, because addresses may have moved. */
    void forget() {
        known.clear();
    }

    /** Whether packets from {@code remote} to {@code local}, an address of this host, may arrive by this NIC. */
    boolean mayArriveBy(String nic, @Nullable InetAddress local, @Nullable InetAddress remote) {
        // Packets that a host sends to itself never leave it, whichever of its addresses they use.
        return local != null
                && remote != null
                && !isOfThisHost(remote)
                && below(local).contains(nic);
    }

    /** Whether packets to this address do not leave the host. */
    boolean isOfThisHost(@Nullable InetAddress remote) {
        return remote != null && !below(remote).isEmpty();
    }

    private Set<String> below(InetAddress address) {
        return known.computeIfAbsent(address, unknown -> {
            Set<String> below = new HashSet<>();
            String name = interfaceOf.apply(unknown);
            if (name != null) {
                addWithLower(name, below);
            }
            return below;
        });
    }

    private void addWithLower(String name, Set<String> found) {
        if (found.add(name)) {
            try (DirectoryStream<Path> lower = Files.newDirectoryStream(interfaces.resolve(name), LOWER + "*")) {
                lower.forEach(link -> addWithLower(link.getFileName().toString().substring(LOWER.length()), found));
            } catch (IOException | java.nio.file.DirectoryIteratorException none) {
                // The interface has no others below it.
            }
        }
    }
}
