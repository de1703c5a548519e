package io.fdt.cli.nettest;

import io.fdt.cli.console.Console;
import io.fdt.cli.display.FailureReport;
import io.fdt.cli.value.UserText;
import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Failure;
import io.fdt.core.nettest.Csv;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.SuiteText;
import io.fdt.core.stats.HostFacts;
import java.util.ArrayList;
import java.util.List;

/** Displays a network test as text: the tables of its result on standard output, each second on standard error. */
record NettestText(Console console, Suite suite, boolean verbose, boolean quiet, boolean histogram)
        implements NettestDisplay {
    @Override
    public void onStart(String session, NettestPlan plan, String transport, String peer) {
        if (!quiet) {
            console.message("fdt: " + plan.suite().announcement(plan, peer, transport));
        }
    }

    @Override
    public void onInterval(JsonObject progress) {
        if (!quiet) {
            lines(suite, progress, verbose).forEach(console::message);
        }
    }

    @Override
    public void onWarning(String message) {
        if (!quiet) {
            console.warning(message);
        }
    }

    @Override
    public void onEnd(NettestOutcome outcome) {
        NettestResult result = outcome.result();
        if (result != null) {
            console.data(String.join("\n", lines(result)));
            if (histogram) {
                console.data("\n" + String.join("\n", Csv.histogram(result)));
            }
        }
        Failure failure = outcome.failure();
        if (failure != null) {
            FailureReport.show(console, false, failure);
        }
    }

    /** The lines about a second, the first with its time. */
    static List<String> lines(Suite suite, JsonObject second, boolean verbose) {
        List<String> lines = new ArrayList<>(suite.lines(second, verbose));
        lines.set(0, Figures.text("%6.1f s  ", second.amount("t")) + lines.get(0));
        return lines;
    }

    static List<String> lines(NettestResult result) {
        List<String> lines = new ArrayList<>(result.plan().suite().tables(result));
        if (!lines.isEmpty()) {
            lines.add("");
        }
        lines.add("here    " + host(result.local()));
        lines.add("there   " + host(result.remote()));
        lines.add("lanes   " + result.transport());
        lines.addAll(result.plan().suite().conclusion(result));
        return lines;
    }

    /** The description of a host is for display, but comes from the peer. */
    private static String host(HostFacts facts) {
        if (facts.cpu().cores() == 0) {
            return UserText.visible(facts.host()) + ", which did not tell more";
        }
        String nic = facts.nic().name().isEmpty()
                ? "unknown interface"
                : facts.nic().name()
                        + (facts.nic().bitsPerSecond() > 0
                                ? " at "
                                        + SuiteText.gigabits(
                                                (double) facts.nic().bitsPerSecond()) + " Gbit/s"
                                : " without a speed");
        return UserText.visible(
                facts.host() + ", " + facts.cpu().model() + ", " + facts.cpu().cores() + " cores"
                        + (facts.cpu().allowedCores() < facts.cpu().cores()
                                ? " of which " + facts.cpu().allowedCores() + " are allowed"
                                : "")
                        + ", Linux " + facts.kernel() + ", " + nic + ", " + facts.software());
    }
}
