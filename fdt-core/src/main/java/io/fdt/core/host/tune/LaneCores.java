package io.fdt.core.host.tune;

import io.fdt.core.host.Core;
import io.fdt.core.host.CoreSet;
import io.fdt.core.host.Host;
import io.fdt.core.host.Nic;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The cores that the lanes of one process should run on. Immutable, and a pure function of its inputs. */
public final class LaneCores {
    public static final LaneCores ANY = new LaneCores(List.of(), List.of(), CoreSet.NONE, false);

    /** With fewer cores, a pinned lane waits for other threads on its core, which costs more than pinning gains. */
    public static final int FEWEST_CORES = 4;

    /** More than any host has places for lanes, to get all of them. */
    private static final int MANY_LANES = 4096;

    private final List<Integer> places;
    private final List<Core> known;
    private final CoreSet beyond;
    private final boolean again;

    private LaneCores(List<Integer> places, List<Core> known, CoreSet beyond, boolean again) {
        this.places = List.copyOf(places);
        this.known = List.copyOf(known);
        this.beyond = beyond;
        this.again = again;
    }

    /** Pins the n-th lane to the n-th core, starting over if there are more lanes than cores. Lanes stay there. */
    public static LaneCores of(CoreSet cores) {
        return new LaneCores(cores.toList(), List.of(), CoreSet.NONE, true);
    }

    /**
     * Follows the plan: the first lanes get its places for lanes, further ones may use any usable core near the NICs.
     * Restricts no lane on a host without NICs, or if the process may use only a few cores.
     *
     * @param allowed the cores that this process may use
     */
    public static LaneCores planned(Host host, CoreSet allowed) {
        CoreSet usable = allowed.and(host.topology().online());
        TuneRequest request = new TuneRequest(List.of(), 0, 0, MANY_LANES);
        List<Nic> nics = request.nicsOf(host);
        if (usable.size() < FEWEST_CORES || nics.isEmpty()) {
            return ANY;
        }
        Set<Integer> places = new LinkedHashSet<>();
        for (TunePlan.LanePlace place : TunePlan.of(host, request).lanes()) {
            if (usable.contains(place.core())) {
                places.add(place.core());
            }
        }
        CoreSet near = CoreSet.NONE;
        for (Nic nic : nics) {
            near = near.or(host.topology().near(nic));
        }
        return places.isEmpty()
                ? ANY
                : new LaneCores(List.copyOf(places), host.topology().cores(), near.and(usable), false);
    }

    /** Returns the initial cores of a lane; empty if it is not restricted. */
    public CoreSet of(int lane) {
        if (places.isEmpty()) {
            return CoreSet.NONE;
        }
        return lane < places.size() || again ? CoreSet.of(places.get(lane % places.size())) : beyond;
    }

    /**
     * Returns where a lane should run whose packets arrive on the core {@code packets}, if it is restricted to {@code
     * now}: a place that shares a last-level cache with that core, unless it already does. Returns {@code now} if there
     * is no better place or the places are the operator's choice.
     */
    public CoreSet beside(int lane, CoreSet now, int packets) {
        CoreSet cache = CoreSet.NONE;
        for (Core core : known) {
            cache = core.id() == packets ? core.sharesLastCache() : cache;
        }
        if (now.isEmpty() || !cache.and(now).isEmpty()) {
            return now;
        }
        CoreSet behind = cache;
        List<Integer> better = places.stream().filter(behind::contains).toList();
        return better.isEmpty() ? now : CoreSet.of(better.get(lane % better.size()));
    }
}
