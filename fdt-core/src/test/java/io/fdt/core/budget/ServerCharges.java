package io.fdt.core.budget;

import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Paths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a running server has charged to all its clients, read from the memory that its processes share. */
public final class ServerCharges {
    private static final int NO_ROW_OF_THE_SERVER = 127;

    private final ServerTotals totals;

    /** @param pid of the server's first process */
    public ServerCharges(long pid) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            Path shared = open.filter(ServerCharges::isTotals)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("the server shares no totals"));
            int fd = Paths.openat(Paths.AT_FDCWD, RawPath.ofText(shared.toString()), Paths.O_RDWR, 0);
            totals = ServerTotals.joined(fd, NO_ROW_OF_THE_SERVER);
            // Like one more process: the others' rows are read only if there may be any.
            var unused = totals.reserve();
        }
    }

    private static boolean isTotals(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().contains("fdt-totals");
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }

    public long of(Resource resource) {
        return totals.heldByOthers(resource);
    }

    public Map<Resource, Long> all() {
        return Arrays.stream(Resource.values()).collect(Collectors.toMap(Function.identity(), this::of));
    }
}
