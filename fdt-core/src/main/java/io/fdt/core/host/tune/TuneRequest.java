package io.fdt.core.host.tune;

import io.fdt.core.host.Bond;
import io.fdt.core.host.Host;
import io.fdt.core.host.Nic;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a host should be tuned for.
 *
 * @param nics by name, where a bond includes its slaves; empty for every NIC that is up and fast
 * @param rateBitsPerSecond 0 for the total rate of the NICs
 * @param rttNanos to the farthest peer; 0 if not given
 * @param lanes the total number for all transfers; 0 if not given
 */
public record TuneRequest(List<String> nics, long rateBitsPerSecond, long rttNanos, int lanes) {
    /** The default maximum of a transfer. */
    static final int DEFAULT_LANES = 16;

    /** A slower NIC needs no tuning unless all are slower. */
    private static final long FAST_BITS_PER_SECOND = 10_000_000_000L;

    public TuneRequest {
        nics = List.copyOf(nics);
    }

    /** Returns the first name that is neither a NIC nor a bond of this host; null if all exist. */
    public @Nullable String unknownNic(Host host) {
        return nics.stream()
                .filter(name ->
                        host.network().nic(name) == null && host.network().bond(name) == null)
                .findFirst()
                .orElse(null);
    }

    /** Returns the NICs that carry the packets, each once. */
    public List<Nic> nicsOf(Host host) {
        if (nics.isEmpty()) {
            List<Nic> up = host.network().nics().stream()
                    .filter(nic -> nic.device().hardware() && nic.link().up())
                    .toList();
            List<Nic> fast = up.stream()
                    .filter(nic -> nic.link().bitsPerSecond() >= FAST_BITS_PER_SECOND)
                    .toList();
            return fast.isEmpty() ? up : fast;
        }
        return nics.stream()
                .flatMap(name -> namesOf(name, host.network().bond(name)))
                .distinct()
                .map(name -> host.network().nic(name))
                .filter(Objects::nonNull)
                .toList();
    }

    private static Stream<String> namesOf(String name, @Nullable Bond bond) {
        return bond == null ? Stream.of(name) : bond.slaves().stream().map(Bond.Slave::nic);
    }

    /** Returns 0 if unknown. */
    long rate(List<Nic> chosen) {
        return rateBitsPerSecond > 0
                ? rateBitsPerSecond
                : chosen.stream().mapToLong(nic -> nic.link().bitsPerSecond()).sum();
    }

    int lanesOrDefault() {
        return lanes > 0 ? lanes : DEFAULT_LANES;
    }
}
