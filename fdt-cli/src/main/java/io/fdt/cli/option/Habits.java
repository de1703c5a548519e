package io.fdt.cli.option;

import java.util.Map;

/** Options of rsync, scp, rclone and iperf3 that fdt does not have, and what to do instead. */
public final class Habits {
    private static final String DEFAULT = "this is the default; leave it out";
    private static final String RESUMES = "interrupted copies resume by default; leave it out";
    private static final String COMPRESSION = "fdt does not compress; leave it out";
    private static final String LANES = "use -P N";
    private static final String RATE = "use --rate-limit RATE";

    public static final Map<String, String> OF_COPIES = Map.ofEntries(
            Map.entry("-a", DEFAULT),
            Map.entry("--archive", DEFAULT),
            Map.entry("-r", DEFAULT),
            Map.entry("-R", DEFAULT),
            Map.entry("--recursive", DEFAULT),
            Map.entry("-p", DEFAULT),
            Map.entry("-t", DEFAULT),
            Map.entry("--times", DEFAULT),
            Map.entry("--perms", DEFAULT),
            Map.entry("-l", DEFAULT),
            Map.entry("--links", DEFAULT),
            Map.entry("-z", COMPRESSION),
            Map.entry("-C", COMPRESSION),
            Map.entry("--compress", COMPRESSION),
            Map.entry("--partial", RESUMES),
            Map.entry("--append", RESUMES),
            Map.entry("--append-verify", RESUMES),
            Map.entry("--inplace", "fdt gives a file its name only when it is complete; leave it out"),
            Map.entry("-c", "use --compare digest"),
            Map.entry("--checksum", "use --compare digest"),
            Map.entry("--bwlimit", RATE),
            Map.entry("--transfers", LANES),
            Map.entry("--multi-thread-streams", LANES),
            Map.entry("-X", "use --preserve all"),
            Map.entry("--xattrs", "use --preserve all"),
            Map.entry("-A", "use --preserve all"),
            Map.entry("--acls", "use --preserve all"),
            Map.entry("-H", "use --preserve all"),
            Map.entry("--hard-links", "use --preserve all"),
            Map.entry("-L", "use --copy-links"),
            Map.entry("-o", "use --preserve all"),
            Map.entry("--owner", "use --preserve all"),
            Map.entry("-g", "use --preserve all"),
            Map.entry("--group", "use --preserve all"),
            Map.entry("--ignore-existing", "use --existing skip"),
            Map.entry("-I", "use --existing overwrite"),
            Map.entry("--ignore-times", "use --existing overwrite"),
            Map.entry("-i", "use --json=files"),
            Map.entry("--itemize-changes", "use --json=files"),
            Map.entry("--rsh", "use --ssh COMMAND"),
            Map.entry("--rsync-path", "use --remote-command COMMAND"));

    public static final Map<String, String> OF_NETWORK_TESTS = Map.ofEntries(
            Map.entry("-c", "the host needs no option: fdt nettest HOST"),
            Map.entry("--client", "the host needs no option: fdt nettest HOST"),
            Map.entry("-s", "start fdt server on the other host"),
            Map.entry("--server", "start fdt server on the other host"),
            Map.entry("-p", "write HOST:PORT"),
            Map.entry("--port", "write HOST:PORT"),
            Map.entry("-t", "use --duration TIME"),
            Map.entry("--time", "use --duration TIME"),
            Map.entry("-O", "use --warm-up TIME"),
            Map.entry("--omit", "use --warm-up TIME"),
            Map.entry("--parallel", LANES),
            Map.entry("-R", "use --reverse"),
            Map.entry("-w", "use --socket-buffer SIZE"),
            Map.entry("--window", "use --socket-buffer SIZE"),
            Map.entry("-l", "use --block SIZE"),
            Map.entry("--len", "use --block SIZE"),
            Map.entry("-J", "use --json"),
            Map.entry("-C", "use --congestion NAME"),
            Map.entry("-B", "use --bind ADDRESS"),
            Map.entry("-A", "use --pin CORES"),
            Map.entry("--affinity", "use --pin CORES"),
            Map.entry("-i", "fdt reports each second; leave it out"),
            Map.entry("--interval", "fdt reports each second; leave it out"),
            Map.entry("-u", "fdt tests over TCP, RDMA and lanes within a host, not UDP"),
            Map.entry("--udp", "fdt tests over TCP, RDMA and lanes within a host, not UDP"));

    private Habits() {}
}
