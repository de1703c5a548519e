package io.fdt.cli.nettest;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.ReportOptions;
import io.fdt.cli.report.Report;
import io.fdt.cli.run.PlainRun;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.UserText;
import java.nio.file.Path;
import java.util.List;

/** {@code nettest report}: result files and published figures plotted together, as a page or a picture. */
final class ReportCommand extends Command {

    ReportCommand() {
        super("nettest report", "plot the results of network tests", "RESULT…");
    }

    @Override
    protected Help help() {
        return Help.of(ReportOptions.ALL)
                .about("""
                        Plots results of network tests. nettest --json prints a result as its last line. Several files
                        are plotted together, suite by suite. Every result and every published figure is shown with its
                        hardware. The report needs no network, and no fonts on this host.

                        The name of published figures may continue to select some of their curves: vmi/ia64/myrinet.""")
                .example("nettest report a.json b.json --report both.html", "two runs, side by side")
                .example(
                        "nettest report sweep.json --compare vmi/ia64 --report sweep.svg",
                        "a run next to published figures, as a picture")
                .example("nettest report --list", "list what results can be compared with");
    }

    @Override
    public int run(List<String> args, Context context) {
        return PlainRun.run(this, args, context, (given, settings, json) -> {
            if (!settings.on(ReportOptions.LIST)) {
                write(given);
            } else if (given.operands().isEmpty()) {
                context.console().data(String.join("\n", Report.published()));
            } else {
                throw UserText.refusal("--list needs no result files; write fdt nettest report --list");
            }
            return 0;
        });
    }

    private static void write(GivenArguments given) {
        List<String> outputs = given.texts(ReportOptions.REPORT);
        if (outputs.isEmpty()) {
            throw UserText.refusal("add --report FILE: fdt nettest report RESULT.json --report OUT.html");
        }
        Path output = Location.local(outputs.get(outputs.size() - 1));
        Report.checkOutput(output);
        List<Path> results = given.operands().stream().map(Location::local).toList();
        Report.ofFiles(results, given.texts(ReportOptions.COMPARE), SuitePlans::optionName)
                .writeTo(output);
    }
}
