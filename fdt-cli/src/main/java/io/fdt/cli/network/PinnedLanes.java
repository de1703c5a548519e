package io.fdt.cli.network;

import io.fdt.cli.value.Pin;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.host.CoreSet;
import io.fdt.core.host.Host;
import io.fdt.core.host.ThreadCores;
import io.fdt.core.host.tune.LaneCores;
import io.fdt.core.transport.LanePlaces;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Pins the threads of lanes to cores; each thread pins itself. If the kernel refuses, for example because a core has
 * gone offline, the lane stays where it is: it may be slower, but it works.
 */
final class PinnedLanes implements LanePlaces {
    private static final Path HOST_FILES = Path.of("/");

    private final Supplier<LaneCores> planning;

    /** The cores that each lane is pinned to now. Only the lane's thread changes its entry. */
    private final Map<Integer, CoreSet> kept = new ConcurrentHashMap<>();

    // Guarded by this.
    private @Nullable LaneCores planned;

    private PinnedLanes(Supplier<LaneCores> planning) {
        this.planning = planning;
    }

    /**
     * Returns the places of a server's lanes. The host is not read before the first lane starts.
     *
     * @throws TransferException USAGE if the pin includes cores that this process may not use
     */
    static LanePlaces of(Pin pin) {
        CoreSet allowed = ThreadCores.allowed();
        return of(pin, allowed, () -> LaneCores.planned(Host.read(HOST_FILES), allowed));
    }

    /**
     * Like {@link #of(Pin)}, but for lanes to one server. Does not pin lanes automatically within this host, because
     * they use no NIC.
     */
    static LanePlaces to(String server, Pin pin) {
        CoreSet allowed = ThreadCores.allowed();
        return of(
                pin, allowed, () -> isHere(server) ? LaneCores.ANY : LaneCores.planned(Host.read(HOST_FILES), allowed));
    }

    private static LanePlaces of(Pin pin, CoreSet allowed, Supplier<LaneCores> automatic) {
        if (pin.auto()) {
            return allowed.size() < LaneCores.FEWEST_CORES ? LanePlaces.ANYWHERE : new PinnedLanes(automatic);
        }
        if (pin.cores().isEmpty()) {
            return LanePlaces.ANYWHERE;
        }
        CoreSet missing = pin.cores().without(allowed);
        if (!missing.isEmpty()) {
            throw Cause.USAGE.failure("--pin: this process may not use core " + missing + ", only " + allowed);
        }
        return new PinnedLanes(() -> LaneCores.of(pin.cores()));
    }

    private static boolean isHere(String server) {
        try {
            InetAddress address = InetAddress.getByName(server);
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (IOException unknown) {
            // The engine reports an unknown host with a better message.
            return false;
        }
    }

    private synchronized LaneCores cores() {
        LaneCores known = planned;
        if (known == null) {
            known = planning.get();
            planned = known;
        }
        return known;
    }

    @Override
    public void onThread(int number) {
        CoreSet begins = cores().of(number);
        if (!begins.isEmpty() && ThreadCores.keepTo(begins)) {
            kept.put(number, begins);
        } else {
            kept.remove(number);
        }
    }

    @Override
    public void onPackets(int number, int core) {
        CoreSet now = kept.getOrDefault(number, CoreSet.NONE);
        CoreSet better = cores().beside(number, now, core);
        if (!better.equals(now) && ThreadCores.keepTo(better)) {
            kept.put(number, better);
        }
    }
}
