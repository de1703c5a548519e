package io.fdt.cli.nettest;

import io.fdt.cli.command.Context;
import io.fdt.cli.display.OutputForm;
import io.fdt.cli.monitor.MonitorRequest;
import io.fdt.cli.network.Network;
import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.NettestOptions;
import io.fdt.cli.option.RdmaOptions;
import io.fdt.cli.option.ReportOptions;
import io.fdt.cli.option.Settings;
import io.fdt.cli.report.Report;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.LaneCount;
import io.fdt.cli.value.LocalAddresses;
import io.fdt.cli.value.Nearest;
import io.fdt.cli.value.Pin;
import io.fdt.cli.value.UserText;
import io.fdt.core.host.CoreSet;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.service.Suites;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.RdmaUse;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A checked {@code nettest} command: what to measure and how to show it.
 *
 * @param copyLanes the lanes of the copy that measures; null for a test on lanes only
 * @param comparesNodes whether to measure twice, with lanes on two NUMA nodes
 */
record NettestRequest(
        NettestPlan plan,
        @Nullable LaneRange copyLanes,
        Network network,
        boolean comparesNodes,
        MonitorRequest monitor,
        Results results,
        OutputForm output) {
    /**
     * The forms in which the results are wanted, besides lines.
     *
     * @param comparisons named figures and result files for the report
     * @param histogram whether the lines contain one
     * @param percentiles the file for those of every histogram
     */
    record Results(
            @Nullable Path csv,
            @Nullable Path report,
            List<String> comparisons,
            boolean histogram,
            @Nullable Path percentiles) {}

    private static final String NODES = "nodes";
    private static final String VIA_ENGINE = " does not apply to --via engine; leave one out";
    private static final String FORM = "fdt nettest [SUITE] [OPTION…] HOST[:PORT]";

    /** Reads and checks everything; opens nothing. */
    static NettestRequest of(GivenArguments given, Settings settings, Context context) {
        List<String> operands = given.operands();
        boolean named = SuitePlans.named(operands).isPresent();
        Suite suite = SuitePlans.named(operands).orElse(Suites.ALL.get(0));
        SuitePlans.refuseForeign(suite, given);
        boolean viaEngine = suite.isOfStreams() && viaEngine(settings);
        // Files are never copied unencrypted unless the user requests it.
        boolean clear = !settings.on(NettestOptions.TLS) && (!viaEngine || given.has(NettestOptions.TLS));
        boolean comparesNodes = settings.get(NettestOptions.PIN, NODES::equals);
        Network network =
                Network.tests(settings, comparesNodes ? Pin.NONE : settings.get(NettestOptions.PIN, Pin::parse));
        Carrier carrier = carrier(network.transport());
        if (comparesNodes) {
            given.refuse(
                    List.of(NettestOptions.CSV, ReportOptions.REPORT),
                    " is for one result, but --pin nodes measures twice; leave one out");
        }
        if (comparesNodes && !suite.isOfStreams()) {
            throw UserText.refusal("--pin nodes compares the throughput of a network; leave it out");
        }
        if (!carrier.hasTls() && !clear) {
            throw UserText.refusal("lanes over RDMA are not encrypted; "
                    + (settings.on(NettestOptions.TLS) ? "leave --tls out" : "add --no-tls to --via engine"));
        }
        if (viaEngine) {
            refuseBesideCopy(given, settings);
        }
        if (viaEngine && network.rdma() != RdmaUse.Wish.REQUIRED) {
            given.refuse(List.of(NettestOptions.BLOCK), VIA_ENGINE);
            given.refuse(RdmaOptions.ALL, " applies only to lanes over RDMA; add --transport rdma and --no-tls");
            // A copy does not report its transport, and figures of one transport must not appear under the name of
            // another.
            network = network.withoutRdma();
        }
        if (!named && operands.size() > 1) {
            throw UserText.refusal("more than one server; write " + FORM + "; SUITE is one of "
                    + String.join(", ", SuitePlans.words()) + Nearest.hint(operands.get(0), SuitePlans.words()));
        }
        HostPort server = server(named ? operands.subList(1, operands.size()) : operands);
        List<InetAddress> bind = settings.find(ClientOptions.BIND, LocalAddresses::parse);
        NettestPath path = new NettestPath(
                server.host(),
                server.port(),
                clear,
                bind == null ? List.of() : bind,
                Network.timeoutMs(settings),
                carrier);
        Path report = settings.file(ReportOptions.REPORT);
        List<String> comparisons = given.texts(ReportOptions.COMPARE);
        checkReport(report, comparisons, suite);
        NettestPlan plan = SuitePlans.plan(suite, path, settings, context);
        if (suite.isOfStreams() && settings.isPreset(RdmaOptions.BLOCK)) {
            network = network.withRdmaBlocksFor(plan.get(NettestValue.BLOCK_BYTES));
        }
        return new NettestRequest(
                plan,
                viaEngine ? settings.get(NettestOptions.STREAMS, text -> LaneCount.parse(text, context.cores())) : null,
                network,
                comparesNodes,
                MonitorRequest.ofClient(settings, settings.on(NettestOptions.JSON), context.environment()),
                new Results(
                        settings.file(NettestOptions.CSV),
                        report,
                        comparisons,
                        settings.on(NettestOptions.HISTOGRAM),
                        settings.file(NettestOptions.HDR)),
                OutputForm.of(settings, NettestOptions.JSON, NettestOptions.VERBOSE));
    }

    NettestRequest withLanesOn(CoreSet cores) {
        Network pinned = network.withPin(new Pin(false, cores));
        return new NettestRequest(plan, copyLanes, pinned, comparesNodes, monitor, results, output);
    }

    /** Refuses what a copy cannot do. */
    private static void refuseBesideCopy(GivenArguments given, Settings settings) {
        given.refuse(List.of(NettestOptions.RECEIVE), VIA_ENGINE);
        if (settings.on(NettestOptions.BIDIR) && !settings.on(NettestOptions.REVERSE)) {
            throw UserText.refusal("a copy goes one way; leave --bidir or --via engine out");
        }
        if (SuitePlans.warmUpMs(settings) > 0) {
            throw UserText.refusal("a copy has no warm-up; leave --warm-up or --via engine out");
        }
    }

    /** Refuses what cannot become a report before anything is measured. */
    private static void checkReport(@Nullable Path report, List<String> comparisons, Suite suite) {
        if (report != null) {
            Report.checkOutput(report);
        } else if (!comparisons.isEmpty()) {
            throw UserText.refusal("--compare plots figures in a report; add --report FILE.html");
        }
        comparisons.forEach(name -> Report.checkComparison(name, suite));
    }

    private static Carrier carrier(String transport) {
        return transport.equals("rdma") ? Carrier.RDMA : Carrier.TCP;
    }

    static boolean viaEngine(Settings settings) {
        return settings.word(NettestOptions.VIA).equals("engine");
    }

    private static HostPort server(List<String> hosts) {
        if (hosts.size() != 1) {
            throw UserText.refusal((hosts.isEmpty() ? "name the server to measure against" : "more than one server")
                    + "; write " + FORM);
        }
        try {
            return HostPort.parse(hosts.get(0));
        } catch (BadValueException e) {
            throw UserText.refusal(UserText.quoted(hosts.get(0)) + ": " + e.expected());
        }
    }
}
