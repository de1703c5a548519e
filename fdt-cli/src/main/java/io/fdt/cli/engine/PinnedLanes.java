package io.fdt.cli.engine;

import io.fdt.cli.value.Pin;
import io.fdt.core.FailureKind;
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

/**
 * Pins the threads of lanes to cores; each thread pins itself. If the kernel refuses, for example because a core has
 * gone offline, the lane stays where it is: it may be slower, but it works.
 */
final class PinnedLanes implements LanePlaces {
    private static final Path HOST_FILES = Path.of("/");

    private final LaneCores cores;

    /** The cores that each lane is pinned to now. Only the lane's thread changes its entry. */
    private final Map<Integer, CoreSet> kept = new ConcurrentHashMap<>();

    private PinnedLanes(LaneCores cores) {
        this.cores = cores;
    }

    /** Throws USAGE if the pin includes cores that this process may not use. */
    static LanePlaces of(Pin pin) {
        if (!pin.auto() && pin.cores().isEmpty()) {
            return LanePlaces.ANYWHERE;
        }
        CoreSet allowed = ThreadCores.allowed();
        if (pin.auto()) {
            if (allowed.size() < LaneCores.FEWEST_CORES) {
                return LanePlaces.ANYWHERE;
            }
            LaneCores planned = LaneCores.planned(Host.read(HOST_FILES), allowed);
            return planned.isAny() ? LanePlaces.ANYWHERE : new PinnedLanes(planned);
        }
        CoreSet missing = pin.cores().without(allowed);
        if (!missing.isEmpty()) {
            throw FailureKind.USAGE.failure("--pin: this process may not use core " + missing + ", only " + allowed);
        }
        return new PinnedLanes(LaneCores.of(pin.cores()));
    }

    /**
     * Like {@link #of}, but for lanes to one server. Does not pin lanes automatically within this host, because they
     * use no NIC.
     */
    static LanePlaces to(String server, Pin pin) {
        return pin.auto() && isHere(server) ? LanePlaces.ANYWHERE : of(pin);
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

    @Override
    public void onThread(int number) {
        CoreSet begins = cores.of(number);
        if (!begins.isEmpty() && ThreadCores.keepTo(begins)) {
            kept.put(number, begins);
        } else {
            kept.remove(number);
        }
    }

    @Override
    public void onPackets(int number, int core) {
        CoreSet now = kept.getOrDefault(number, CoreSet.NONE);
        CoreSet better = cores.beside(number, now, core);
        if (!better.equals(now) && ThreadCores.keepTo(better)) {
            kept.put(number, better);
        }
    }
}
