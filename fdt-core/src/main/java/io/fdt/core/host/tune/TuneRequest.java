package io.fdt.core.host.tune;

import io.fdt.core.host.Bond;
import io.fdt.core.host.Host;
import io.fdt.core.host.Nic;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a host is to be good for.
 *
 * @param nics by name, bonds stand for their slaves; empty for every NIC that is up and fast
 * @param rateBitsPerSecond 0 for what the NICs can do together
 * @param rttNanos to the farthest peer; 0 when not given
 * @param lanes of all transfers together; 0 when not given
 */
public record TuneRequest(List<String> nics, long rateBitsPerSecond, long rttNanos, int lanes) {
    /** What a transfer has at most by itself. */
    static final int DEFAULT_LANES = 16;

    /** A slower one needs no steering unless it is all there is. */
    private static final long FAST_BITS_PER_SECOND = 10_000_000_000L;

    public TuneRequest {
        nics = List.copyOf(nics);
    }

    /** The first name that this host has neither as a NIC nor as a bond; null when it has them all. */
    public @Nullable String unknownNic(Host host) {
        return nics.stream()
                .filter(name -> host.nic(name) == null && host.bond(name) == null)
                .findFirst()
                .orElse(null);
    }

    /** The NICs that packets go through, each once. */
    public List<Nic> nicsOf(Host host) {
        if (nics.isEmpty()) {
            List<Nic> up = host.nics().stream()
                    .filter(nic -> nic.hardware() && nic.up())
                    .toList();
            List<Nic> fast = up.stream()
                    .filter(nic -> nic.speedBitsPerSecond() >= FAST_BITS_PER_SECOND)
                    .toList();
            return fast.isEmpty() ? up : fast;
        }
        Set<String> names = new LinkedHashSet<>();
        for (String name : nics) {
            Bond bond = host.bond(name);
            if (bond == null) {
                names.add(name);
            } else {
                bond.slaves().forEach(slave -> names.add(slave.nic()));
            }
        }
        List<Nic> chosen = new ArrayList<>();
        for (String name : names) {
            Nic nic = host.nic(name);
            if (nic != null) {
                chosen.add(nic);
            }
        }
        return chosen;
    }

    /** 0 where nothing says. */
    long rate(List<Nic> chosen) {
        return rateBitsPerSecond > 0
                ? rateBitsPerSecond
                : chosen.stream().mapToLong(Nic::speedBitsPerSecond).sum();
    }

    int lanesOrDefault() {
        return lanes > 0 ? lanes : DEFAULT_LANES;
    }
}
