package io.fdt.cli.option;

import java.util.List;

/** The options for lanes over RDMA, which each end sets for itself. */
public final class RdmaOptions {
    private static final Section RDMA = new Section("RDMA", true);

    public static final Option BLOCK = RDMA.value(
            "--rdma-block SIZE",
            "128KiB",
            "size of one write of a lane, 128KiB to 8MiB in steps of 128KiB, but no more than the other end's");
    public static final Option DEPTH = RDMA.value(
            "--rdma-depth N",
            "6",
            "maximum blocks in flight on a lane, 2 to 768; the other end is granted a third more");
    public static final Option SIGNAL = RDMA.value(
            "--rdma-signal N",
            "auto",
            "request a completion for one in this many sent blocks; auto is half of --rdma-depth");
    public static final Option WAIT = RDMA.choice(
            "--rdma-wait busy|event|adaptive",
            "adaptive",
            "how lanes wait for the device: poll without sleeping, which takes a core each; sleep; or"
                    + " poll for 20 us, then sleep");
    public static final Option HUGE_PAGES =
            RDMA.toggleOn("--rdma-huge-pages", "put the blocks of lanes in huge pages if the host has free ones");
    public static final Option MTU = RDMA.value(
            "--rdma-mtu BYTES",
            "auto",
            "maximum packet size of queue pairs beside lanes (--qp, --reads rdma): 256, 512, 1024, 2048"
                    + " or 4096; auto is the port's maximum");

    static final List<Option> LANES = List.of(BLOCK, DEPTH, SIGNAL, WAIT, HUGE_PAGES);

    /** Options for commands that can also have queue pairs beside lanes. */
    public static final List<Option> ALL = Option.together(LANES, List.of(MTU));

    private RdmaOptions() {}
}
