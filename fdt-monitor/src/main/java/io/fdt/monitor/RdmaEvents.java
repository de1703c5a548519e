package io.fdt.monitor;

import java.util.List;

/** The hardware counters of an RDMA port that tell of loss and congestion, by the names of their files. */
final class RdmaEvents {
    static final List<String> NAMES = List.of(
            "out_of_sequence",
            "packet_seq_err",
            "local_ack_timeout_err",
            "rnr_nak_retry_err",
            "out_of_buffer",
            "np_cnp_sent",
            "rp_cnp_handled",
            "np_ecn_marked_roce_packets");

    private RdmaEvents() {}
}
