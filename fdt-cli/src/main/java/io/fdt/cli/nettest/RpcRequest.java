package io.fdt.cli.nettest;

import io.fdt.cli.option.NettestOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.SizeList;
import io.fdt.cli.value.Sizes;
import io.fdt.cli.value.Times;
import io.fdt.cli.value.Words;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.RpcPlan;
import java.util.ArrayList;
import java.util.List;

/** The arguments of {@code nettest rpc}. */
final class RpcRequest {
    /** The sizes of the published figures, in decimal units as those are. */
    private static final List<Integer> SIZES = List.of(100, 1_000, 10_000, 100_000, 1_000_000);

    private static final int MOST_CONCURRENT = 64;
    private static final int MOST_SERVERS = 32;

    static final List<Option> OPTIONS = List.of(
            NettestOptions.SIZES,
            NettestOptions.REQUEST,
            NettestOptions.CONCURRENT,
            NettestOptions.SERVERS,
            NettestOptions.DURATION,
            NettestOptions.BUSY_POLL);

    private RpcRequest() {}

    static NettestPlan plan(NettestPath path, Settings settings) {
        List<Integer> sizes = settings.find(NettestOptions.SIZES, SizeList::parse);
        List<NettestPath> others = others(path, settings);
        return new RpcPlan(
                path,
                others,
                settings.get(NettestOptions.REQUEST, Sizes.between(4, 1 << 20)).intValue(),
                sizes == null ? SIZES : sizes,
                Math.max(1 + others.size(), settings.get(NettestOptions.CONCURRENT, Words.number(1, MOST_CONCURRENT))),
                settings.get(NettestOptions.DURATION, Times.betweenMs(100, 86_400_000)),
                settings.on(NettestOptions.BUSY_POLL));
    }

    private static List<NettestPath> others(NettestPath path, Settings settings) {
        List<HostPort> others =
                settings.find(NettestOptions.SERVERS, text -> others(new HostPort(path.host(), path.port()), text));
        List<NettestPath> paths = new ArrayList<>();
        for (HostPort other : others == null ? List.<HostPort>of() : others) {
            paths.add(
                    new NettestPath(other.host(), other.port(), path.clear(), path.localAddresses(), path.timeoutMs()));
        }
        return paths;
    }

    /** Twice the same server would be one whose lanes are counted as those of two. */
    private static List<HostPort> others(HostPort first, String text) throws BadValueException {
        List<HostPort> servers = new ArrayList<>(List.of(first));
        for (String part : text.split(",", -1)) {
            HostPort server = HostPort.parse(part);
            if (servers.stream().anyMatch(server::sameAs)) {
                throw new BadValueException(server + " is named twice; name each server once");
            }
            servers.add(server);
        }
        if (servers.size() > MOST_SERVERS) {
            throw new BadValueException("more than " + MOST_SERVERS + " servers");
        }
        return servers.subList(1, servers.size());
    }
}
