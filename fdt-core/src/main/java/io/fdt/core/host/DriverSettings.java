package io.fdt.core.host;

import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Rings and offloads, which no file of the kernel shows. The running host is asked by a call; a recorded one has them
 * in {@code ethtool/NIC}, lines such as {@code rx-ring 1024 8192} and {@code generic-receive-offload on}.
 */
interface DriverSettings {
    /** Null where it cannot be told. */
    @Nullable NicSettings of(String nic);

    static DriverSettings of(HostFiles files) {
        if (files.path("").equals(Path.of("/"))) {
            return new EthtoolCalls();
        }
        return nic -> recorded(files, nic);
    }

    private static @Nullable NicSettings recorded(HostFiles files, String nic) {
        int[] rings = new int[4];
        SortedMap<String, Boolean> offloads = new TreeMap<>();
        for (String line : files.lines("ethtool/" + nic)) {
            String[] words = line.strip().split("\\s+", -1);
            if (line.matches("[rt]x-ring \\d{1,9} \\d{1,9}")) {
                int at = words[0].startsWith("rx") ? 0 : 2;
                rings[at] = Integer.parseInt(words[1]);
                rings[at + 1] = Integer.parseInt(words[2]);
            } else if (words.length == 2) {
                offloads.put(words[0], words[1].equals("on"));
            }
        }
        return rings[0] == 0 && offloads.isEmpty()
                ? null
                : new NicSettings(rings[0], rings[1], rings[2], rings[3], offloads);
    }
}
