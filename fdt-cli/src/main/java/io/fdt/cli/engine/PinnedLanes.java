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
 * Keeps the threads of lanes to cores; each does so itself. Where the kernel refuses, as for a core that has gone
 * meanwhile, the lane stays where it is: it is slower there at most.
 */
final class PinnedLanes implements LanePlaces {
    private static final Path HOST_FILES = Path.of("/");

    private final LaneCores cores;

    /** Where each lane is kept now; an entry belongs to the lane's thread. */
    private final Map<Integer, CoreSet> kept = new ConcurrentHashMap<>();

    private PinnedLanes(LaneCores cores) {
        this.cores = cores;
    }

    /** USAGE when it names cores that this process may not use. */
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

    /** The same for lanes to one server. By itself nothing is done about lanes that pass no NIC. */
    static LanePlaces to(String server, Pin pin) {
        return pin.auto() && isHere(server) ? LanePlaces.ANYWHERE : of(pin);
    }

    private static boolean isHere(String server) {
        try {
            InetAddress address = InetAddress.getByName(server);
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (IOException unknown) {
            // The engine says so better.
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
