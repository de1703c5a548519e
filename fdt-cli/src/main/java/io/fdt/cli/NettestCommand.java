package io.fdt.cli;

import java.util.List;

/** {@code nettest}: measures a path with the engine itself, or reports what was measured. */
final class NettestCommand implements Command {
    private static final List<String> ACTIONS = List.of("report");

    private final Command report = new ReportCommand();

    @Override
    public String name() {
        return "nettest";
    }

    @Override
    public String summary() {
        return "plots of network tests that were run";
    }

    @Override
    public String operands() {
        return "report RESULT…";
    }

    @Override
    public List<String> operandWords() {
        return ACTIONS;
    }

    @Override
    public List<String> about() {
        return report.about();
    }

    @Override
    public List<Option> options() {
        return report.options();
    }

    @Override
    public List<Example> examples() {
        return report.examples();
    }

    @Override
    public int run(List<String> args, Context context) {
        if (!args.isEmpty() && args.get(0).equals("report")) {
            return report.run(args.subList(1, args.size()), context);
        }
        if (args.contains("--help") || args.contains("-h")) {
            context.console().data(HelpText.of(this, context.environment()));
            return 0;
        }
        String given = args.isEmpty() ? "" : args.get(0);
        String message = given.isEmpty() ? "no action" : "unknown action " + UserText.quoted(given);
        return new FailureReport(context.console(), false, false)
                .print(UserText.refusal(message + "; one of " + String.join(", ", ACTIONS)));
    }
}
