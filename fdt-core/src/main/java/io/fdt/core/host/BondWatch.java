package io.fdt.core.host;

import io.fdt.core.transport.SpreadWatch;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Determines from the counters of slaves how the lanes of one session are spread over the slaves of this host's bonds,
 * and which lanes should be redialled. For traffic that this host sends, it can compute the slave of each lane if the
 * bond chooses it by ports; received traffic is distributed by the remote end of the wires. If a slave fails or comes
 * back, the next look notices it and starts anew. A look reads some dozen small files if there is a bond, and none
 * otherwise. Not thread-safe.
 */
public final class BondWatch implements SpreadWatch {
    /**
     * The number of uneven windows before the first move. A receiver waits for one more: if both ends see the same
     * lanes on the same wire, the sender, which knows more, acts first, and the receiver sees lanes change.
     */
    private static final int SENDING_PATIENCE = 2;

    private static final int RECEIVING_PATIENCE = 3;

    private static final String NET = "sys/class/net/";

    private final HostFiles files;
    private final boolean sending;
    private final @Nullable BondPorts ports;

    /** The bond that has a local address; empty if none has it. */
    private final Map<InetAddress, String> bondsOf = new HashMap<>();

    private final Map<String, Watched> watched = new TreeMap<>();

    private static final class Watched {
        final LaneBalance balance;
        boolean reported;

        Watched(boolean sending) {
            this.balance = new LaneBalance(sending ? SENDING_PATIENCE : RECEIVING_PATIENCE);
        }
    }

    /** @param ports directs new lanes; null if this host does not dial */
    public BondWatch(Path root, Role role, @Nullable BondPorts ports) {
        this.files = new HostFiles(root);
        this.sending = role == Role.SENDER;
        this.ports = ports;
    }

    /** @param streams by increasing lane number */
    @Override
    public Advice look(long nowNanos, List<Stream> streams) {
        Map<String, List<Stream>> onBonds = new TreeMap<>();
        for (Stream stream : streams) {
            String bond = bondOf(stream.ends().local().getAddress());
            if (!bond.isEmpty()) {
                onBonds.computeIfAbsent(bond, name -> new ArrayList<>()).add(stream);
            }
        }
        List<Integer> lanes = new ArrayList<>();
        String note = null;
        for (Map.Entry<String, List<Stream>> onBond : onBonds.entrySet()) {
            List<Stream> own = onBond.getValue();
            Bond bond = own.size() < 2 ? null : new BondReader(files).read(onBond.getKey());
            if (bond != null && isWatched(bond)) {
                Watched here = watched.computeIfAbsent(bond.name(), unseen -> new Watched(sending));
                lanes.addAll(decide(bond, own, here, nowNanos));
                String found = noteOf(bond, here);
                note = found == null ? note : found;
            }
        }
        return new Advice(lanes, note);
    }

    /** Whether lanes can be spread over it: received traffic is spread by the remote end of the wires. */
    private boolean isWatched(Bond bond) {
        return switch (bond.mode()) {
            case "802.3ad", "balance-xor" -> !sending || bond.hashPolicy().contains("3+4");
            default -> false;
        };
    }

    private String bondOf(InetAddress local) {
        return bondsOf.computeIfAbsent(local, address -> {
            Bond bond = new BondReader(files).at(address);
            return bond == null ? "" : bond.name();
        });
    }

    private List<Integer> decide(Bond bond, List<Stream> streams, Watched here, long nowNanos) {
        List<LaneBalance.Wire> wires = new ArrayList<>();
        List<Integer> usable = new ArrayList<>();
        for (Bond.Slave slave : bond.slaves()) {
            boolean carries = slave.up() && isAggregated(bond, slave);
            if (carries) {
                usable.add(wires.size());
            }
            long bytes = sending ? slave.txBytes() : slave.rxBytes();
            wires.add(new LaneBalance.Wire(slave.nic(), carries && bytes >= 0, bytes));
        }
        List<LaneBalance.Stream> looked = new ArrayList<>();
        for (Stream stream : streams) {
            long id = (long) stream.ends().local().getPort() << 16
                    | stream.ends().remote().getPort();
            looked.add(new LaneBalance.Stream(stream.lane(), id, wireOf(bond, stream, usable), stream.bytes()));
        }
        List<Integer> lanes = new ArrayList<>();
        for (LaneBalance.Move move : here.balance.decide(new LaneBalance.Look(nowNanos, wires, looked))) {
            if (ports != null && move.to() != LaneBalance.ANYWHERE) {
                ports.steer(bond.name(), usable.indexOf(move.to()), usable.size());
            }
            lanes.add(move.lane());
        }
        return lanes;
    }

    /** 802.3ad uses only the slaves of one aggregator, usually those connected to the same switch. */
    private boolean isAggregated(Bond bond, Bond.Slave slave) {
        long active = files.number(NET + bond.name() + "/bonding/ad_aggregator", -1);
        long own = files.number(NET + slave.nic() + "/bonding_slave/ad_aggregator_id", -1);
        return active < 0 || own < 0 || active == own;
    }

    private int wireOf(Bond bond, Stream stream, List<Integer> usable) {
        InetAddress local = stream.ends().local().getAddress();
        InetAddress remote = stream.ends().remote().getAddress();
        if (!sending
                || usable.isEmpty()
                || !bond.choosesByPorts()
                || local.getAddress().length != remote.getAddress().length) {
            return -1;
        }
        int hash = BondHash.layer34(
                local,
                stream.ends().local().getPort(),
                remote,
                stream.ends().remote().getPort());
        return usable.get(Integer.remainderUnsigned(hash, usable.size()));
    }

    /** The note is reported once while it applies. */
    private @Nullable String noteOf(Bond bond, Watched here) {
        boolean before = here.reported;
        here.reported = here.balance.isOutOfMoves();
        return before || !here.reported
                ? null
                : "the lanes are unevenly spread over the NICs of " + bond.name()
                        + " after all reconnects; check "
                        + (sending ? "tx_bytes" : "rx_bytes") + " in fdt tune show, and the hash policy of "
                        + (sending ? bond.name() : "the switch");
    }
}
