package io.fdt.cli.nettest;

import io.fdt.cli.console.Console;
import io.fdt.cli.display.SummaryText;
import io.fdt.cli.nettest.view.SuiteTables;
import io.fdt.cli.nettest.view.SuiteText;
import io.fdt.cli.value.UserText;
import io.fdt.core.FailureKind;
import io.fdt.core.nettest.NamedFigures;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.stats.HostFacts;
import java.util.ArrayList;
import java.util.List;

/** Displays a network test as text: the tables of its result on standard output, each second on standard error. */
final class NettestText implements NettestDisplay {
    private final Console console;
    private final boolean verbose;
    private final boolean quiet;
    private final boolean histogram;

    NettestText(Console console, boolean verbose, boolean quiet, boolean histogram) {
        this.console = console;
        this.verbose = verbose;
        this.quiet = quiet;
        this.histogram = histogram;
    }

    @Override
    public void onStart(String session, NettestPlan plan, String transport, String peer) {
        if (!quiet) {
            console.message("fdt: " + SuiteText.startLine(plan, transport, peer));
        }
    }

    @Override
    public void onInterval(NamedFigures progress) {
        if (!quiet) {
            SuiteText.lines(progress, verbose).forEach(console::message);
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
                console.data("\n" + String.join("\n", SuiteTables.histogram(result)));
            }
        }
        FailureKind failure = outcome.failure();
        if (failure != null) {
            console.failure(SummaryText.failureLine(failure, String.valueOf(outcome.message()), ""));
        }
    }

    static List<String> lines(NettestResult result) {
        List<String> lines = new ArrayList<>(SuiteTables.tables(result));
        if (!lines.isEmpty()) {
            lines.add("");
        }
        lines.add("here    " + host(result.local()));
        lines.add("there   " + host(result.remote()));
        lines.add("lanes   " + result.transport());
        lines.addAll(SuiteText.conclusion(result));
        return lines;
    }

    /** The description of a host is for display, but comes from the peer. */
    private static String host(HostFacts facts) {
        if (facts.cores() == 0) {
            return UserText.visible(facts.host()) + ", which did not tell more";
        }
        String nic = facts.nic().isEmpty()
                ? "unknown interface"
                : facts.nic()
                        + (facts.nicBitsPerSecond() > 0
                                ? " at " + SuiteText.gigabits((double) facts.nicBitsPerSecond()) + " Gbit/s"
                                : " without a speed");
        return UserText.visible(facts.host() + ", " + facts.cpu() + ", " + facts.cores() + " cores"
                + (facts.allowedCores() < facts.cores() ? " of which " + facts.allowedCores() + " are allowed" : "")
                + ", Linux " + facts.kernel() + ", " + nic + ", " + facts.software());
    }
}
