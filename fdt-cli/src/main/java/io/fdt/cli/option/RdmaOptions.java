package io.fdt.cli.option;

import java.util.List;

/** The options about lanes over RDMA, which each end has for itself. */
public final class RdmaOptions {
    private static final String RDMA = "RDMA";

    public static final Option BLOCK = Option.value(
                    "--rdma-block",
                    "SIZE",
                    "128KiB",
                    "what one write of a lane over RDMA carries, 128KiB to 8MiB by 128KiB, but no more than the other end's")
            .in(RDMA);
    public static final Option DEPTH = Option.value(
                    "--rdma-depth",
                    "N",
                    "6",
                    "blocks of a lane over RDMA that are on their way at most, 2 to 768; a third more are granted to the other end")
            .in(RDMA);
    public static final Option SIGNAL = Option.value(
                    "--rdma-signal",
                    "N",
                    "auto",
                    "one in so many blocks sent asks the device for a completion; auto is half of --rdma-depth")
            .in(RDMA);
    public static final Option WAIT = Option.choice(
                    "--rdma-wait",
                    "adaptive",
                    List.of("busy", "event", "adaptive"),
                    "how lanes over RDMA wait for the device: they ask it again and again, which takes a core each; they sleep;"
                            + " or they ask for 20 us, then sleep")
            .in(RDMA);
    public static final Option HUGE_PAGES = Option.toggle(
                    "--rdma-huge-pages",
                    true,
                    "blocks of lanes over RDMA are in huge pages where the host has any free")
            .in(RDMA);
    public static final Option MTU = Option.value(
                    "--rdma-mtu",
                    "BYTES",
                    "auto",
                    "packets of queue pairs beside lanes (--qp, --reads rdma) are no larger: 256, 512, 1024, 2048 or 4096; auto"
                            + " is what the port takes")
            .in(RDMA);

    /** Of whoever has lanes. */
    static final List<Option> LANES = List.of(BLOCK, DEPTH, SIGNAL, WAIT, HUGE_PAGES);

    /** Of whoever may have queue pairs beside them, too. */
    static final List<Option> ALL = Option.together(LANES, List.of(MTU));

    private RdmaOptions() {}
}
