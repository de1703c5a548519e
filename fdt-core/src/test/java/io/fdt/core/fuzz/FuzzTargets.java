package io.fdt.core.fuzz;

import io.fdt.core.security.SecurityFuzz;
import io.fdt.core.shard.ShardFuzz;
import io.fdt.core.storage.partial.StorageFuzz;
import io.fdt.core.transport.tcp.TcpFuzz;
import io.fdt.core.verify.VerifyFuzz;
import io.fdt.core.wire.WireFuzz;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** All decoders. */
final class FuzzTargets {
    private FuzzTargets() {}

    /** @param place an empty directory, for the targets that read files */
    static List<FuzzTarget> all(Path place) {
        List<FuzzTarget> all = new ArrayList<>(WireFuzz.targets());
        all.addAll(TcpFuzz.targets());
        all.addAll(StorageFuzz.targets(place));
        all.addAll(SecurityFuzz.targets(place));
        all.addAll(VerifyFuzz.targets(place));
        all.addAll(ShardFuzz.targets(place));
        return all;
    }
}
