package io.fdt.core.host.tune;

import io.fdt.core.host.Core;
import io.fdt.core.host.CoreSet;
import io.fdt.core.host.Host;
import io.fdt.core.host.Nic;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Which cores the lanes of one process are to be kept to. Immutable, and a pure function of what it was made of. */
public final class LaneCores {
    /** Lanes are kept nowhere. */
    public static final LaneCores ANY = new LaneCores(List.of(), List.of(), CoreSet.NONE, false);

    /** On fewer, a lane that may not move waits for what else runs there, which costs more than its place is worth. */
    public static final int FEWEST_CORES = 4;

    /** More lanes than a host has places: asking for so many shows them all. */
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

    /** The n-th lane on the n-th of these; when there are more lanes, they go around. Lanes stay there. */
    public static LaneCores of(CoreSet cores) {
        return new LaneCores(cores.toList(), List.of(), CoreSet.NONE, true);
    }

    /**
     * By the plan: the first lanes on its places for lanes, further ones on whichever cores near the NICs are free.
     * Nowhere on a host without NICs to be near to, or where the process may use few cores.
     *
     * @param allowed the cores that this process may use
     */
    public static LaneCores planned(Host host, CoreSet allowed) {
        CoreSet usable = allowed.and(host.online());
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
            near = near.or(host.coresNear(nic));
        }
        return places.isEmpty() ? ANY : new LaneCores(List.copyOf(places), host.cores(), near.and(usable), false);
    }

    /** Whether no lane is kept anywhere. */
    public boolean isAny() {
        return places.isEmpty();
    }

    /** Where a lane begins; empty for anywhere. */
    public CoreSet of(int lane) {
        if (places.isEmpty()) {
            return CoreSet.NONE;
        }
        return lane < places.size() || again ? CoreSet.of(places.get(lane % places.size())) : beyond;
    }

    /**
     * Where a lane is to be whose packets come up on this core, when it is kept to these now: a place behind the same
     * cache, if it is not behind that already. The present one where there is no better or the places are not ours to
     * choose.
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
