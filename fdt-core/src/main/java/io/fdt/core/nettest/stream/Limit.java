package io.fdt.core.nettest.stream;

import static io.fdt.core.nettest.SuiteText.percent;

import java.util.Locale;

/** What limits a throughput test, in the order in which {@link Diagnosis} looks for it. The words are in JSON. */
enum Limit {
    NIC("the rate is at least " + percent(Limit.NEARLY) + " of the slower NIC's speed"),
    PCIE("the rate is at least " + percent(Limit.NEARLY)
            + " of the capacity of the narrower PCIe slot, which carries less than its NIC"),
    WINDOW("the receiver's window limited senders at least " + percent(Limit.HELD_BACK)
            + " of the time, and the receiver seldom found a full block waiting"),
    RECEIVER_CPU(Limit.SLOW_RECEIVER),
    RECEIVER_SOFTIRQ(Limit.SLOW_RECEIVER),
    PEER("the window limited senders, data was waiting, and the receiver has idle processors: it receives too slowly"),
    SEND_BUFFER("the send buffer limited senders at least " + percent(Limit.HELD_BACK) + " of the time"),
    LOSS("at least one segment in " + Math.round(1 / Limit.LOSSY) + " was retransmitted"),
    SENDER_CPU(Limit.BUSY),
    SENDER_SOFTIRQ(Limit.BUSY),
    SENDER_FOREIGN_LOAD(Limit.FOREIGN),
    RECEIVER_FOREIGN_LOAD(Limit.FOREIGN),
    PATH("data was always in flight and neither end limited it"),
    UNKNOWN("none of these");

    static final double NEARLY = 0.9;
    static final double HELD_BACK = 0.3;
    static final double LOSSY = 0.001;

    private static final String SLOW_RECEIVER =
            "the window limited senders, data was waiting, and the receiver's process or a core is saturated";
    private static final String BUSY =
            "the sender's process or a core is saturated (on one host: the end that used more)";
    private static final String FOREIGN = "as `-cpu`, but other programs used more of these cores than the test";

    private final String condition;

    Limit(String condition) {
        this.condition = condition;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** For documents. */
    String condition() {
        return condition;
    }
}
