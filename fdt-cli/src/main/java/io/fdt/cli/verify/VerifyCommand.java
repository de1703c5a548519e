package io.fdt.cli.verify;

import io.fdt.cli.command.ArgumentReader;
import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.console.TerminalWidth;
import io.fdt.cli.copy.RemoteEnd;
import io.fdt.cli.display.EventLog;
import io.fdt.cli.display.JsonMode;
import io.fdt.cli.display.OutputForm;
import io.fdt.cli.display.ProgressMode;
import io.fdt.cli.display.ProgressTicker;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.OtherTools;
import io.fdt.cli.option.Settings;
import io.fdt.cli.option.VerifyOptions;
import io.fdt.cli.run.JobRun;
import io.fdt.cli.run.PlainRun;
import io.fdt.cli.value.UserText;
import io.fdt.core.Fdt;
import io.fdt.core.failure.TransferException;
import io.fdt.core.verify.VerifyJob;
import io.fdt.core.verify.VerifyObserver;
import io.fdt.core.verify.VerifySummary;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code verify}: runs one verification, from the arguments to the exit code. */
public final class VerifyCommand extends Command {
    private static final String STOPPING = "fdt: stopping (interrupt again to stop at once)";
    private static final long PATIENCE_MS = 900;

    public VerifyCommand() {
        super(
                "verify",
                "check a tree against a receipt or a manifest, or two trees against each other",
                "A B, or TREE with --receipt or --manifest");
    }

    @Override
    protected Help help() {
        return Help.of(VerifyOptions.ALL)
                .foreign(OtherTools.OF_SIZES)
                .about("""
                        Compares what is in A with what is in B: kinds, sizes, contents and link targets. With a
                        receipt, it compares TREE, the target of a copy, with what the copy recorded; with a manifest,
                        the contents of the files that it lists. Each end hashes its own files, and only digests cross
                        the network. Changes nothing.

                        A, B and TREE may be remote: fdt://HOST[:PORT]/PATH, or one of them USER@HOST:PATH over ssh. A
                        trailing slash makes no difference. Two files are compared whatever their names are. Links are
                        not followed. A pattern in the last part of a remote path, 'fdt://HOST/DIR/*.bin', stands for
                        the entries of DIR that match, and everything below them.

                        Every difference is a line on stderr: missing (only in A or the receipt), extra (only in B or
                        TREE), different, unreadable, unverified (the receipt has no digest of it). Exit code 0: all the
                        same; 6: something differs; 4: something could not be compared, and everything else is the same.
                        With --json, files_unverified counts what could not be compared.""")
                .example("verify results fdt://dtn2/incoming/run7", "compare local files with their copies")
                .example(
                        "verify --receipt run7.json fdt://dtn2/incoming/run7",
                        "check a copy against its receipt, any time later")
                .example("verify --manifest sha256=SHA256SUMS ann@dtn2:run7", "check what sha256sum wrote, over ssh")
                .example(
                        "verify --device --receipt run7.json /data/run7",
                        "check what is on the disk, past the page cache")
                .example(
                        "verify --metadata --json /data/run7 /backup/run7",
                        "compare modes and times, too; JSON on stdout");
    }

    @Override
    public int run(List<String> args, Context context) {
        VerifyRequest request;
        try {
            GivenArguments given = ArgumentReader.read(this, args);
            if (given.asksForText()) {
                return PlainRun.text(this, given, context);
            }
            Settings settings = Settings.of(name(), given, context.environment());
            PlainRun.note(settings, context);
            request = VerifyRequest.of(given, settings, context);
        } catch (TransferException refused) {
            boolean json = JsonMode.asked(name(), args, context.environment()) != JsonMode.OFF;
            display(context, ProgressMode.NONE, json, false, true).onEnd(withoutStart(refused));
            return refused.kind().exitCode();
        }
        return JobRun.run(
                context, new Verifying(request, context), request.output().verbose(), STOPPING, PATIENCE_MS);
    }

    /**
     * Starts a verification for a command that shows it itself.
     *
     * @param args options and operands of {@code verify}; throws USAGE
     */
    public static VerifyJob start(List<String> args, Context context, VerifyObserver observer) {
        GivenArguments given = ArgumentReader.read(new VerifyCommand(), args);
        VerifyRequest request = VerifyRequest.of(given, Settings.of("verify", given, context.environment()), context);
        if (request.ssh() != null) {
            throw UserText.refusal("a batch uses running servers; write fdt://HOST/PATH");
        }
        return request.network().applied(context.fdt()).verify(request.plan(), observer);
    }

    private static VerifyDisplay display(
            Context context, ProgressMode progress, boolean json, boolean verbose, boolean quiet) {
        return json
                ? new VerifyJson(context.console())
                : new VerifyText(
                        context.console(),
                        progress,
                        verbose,
                        quiet,
                        new TerminalWidth(context.environment(), context.signals()));
    }

    private static VerifySummary withoutStart(TransferException failure) {
        return new VerifySummary(failure.failure(), 0, 0, VerifySummary.Differences.NONE, 0, null);
    }

    private static final class Verifying implements JobRun.CommandJob<VerifyJob, VerifySummary> {
        private final VerifyRequest request;
        private final Context context;
        private final VerifyDisplay display;
        private final EventLog log;
        private volatile @Nullable ProgressTicker ticker;
        private final RemoteEnd remoteEnd;

        Verifying(VerifyRequest request, Context context) {
            this.request = request;
            this.context = context;
            this.remoteEnd = new RemoteEnd(request.ssh());
            OutputForm output = request.output();
            this.log = EventLog.begin(context, output.log());
            this.display = display(context, request.progress(), output.json(), output.verbose(), output.quiet());
        }

        @Override
        public VerifyJob start() {
            Fdt fdt = request.network().applied(remoteEnd.start(context));
            return fdt.verify(request.planned(remoteEnd), display);
        }

        @Override
        public void close() {
            remoteEnd.close();
        }

        @Override
        public Runnable watch(VerifyJob job) {
            ProgressTicker started = ProgressTicker.start(job::progress, display, context.clock());
            ticker = started;
            return started::stop;
        }

        @Override
        public void status(@Nullable VerifyJob job) {
            log.tellStatus(ticker, "nothing has been read yet", VerifyText::line);
        }

        @Override
        public VerifySummary withoutJob(TransferException failure) {
            return withoutStart(failure);
        }

        @Override
        public void show(VerifySummary summary) {
            display.onEnd(summary);
        }
    }
}
