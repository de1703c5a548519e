package io.fdt.cli.copy;

import io.fdt.cli.command.Context;
import io.fdt.cli.display.Display;
import io.fdt.cli.display.Displays;
import io.fdt.cli.display.EventLog;
import io.fdt.cli.display.Hook;
import io.fdt.cli.display.JsonDisplay;
import io.fdt.cli.display.ProgressLine;
import io.fdt.cli.display.ProgressTicker;
import io.fdt.cli.display.SummaryText;
import io.fdt.cli.monitor.Monitoring;
import io.fdt.cli.run.Lifetime;
import io.fdt.core.basic.Figures;
import io.fdt.core.control.Retry;
import io.fdt.core.engine.Connected;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.NativeCode;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.ServerAddress;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.LocalTarget;
import io.fdt.core.storage.source.NewFiles;
import io.fdt.core.transfer.TransferJob;
import java.io.File;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * {@code client --watch}: copies the files of a directory as they become complete, in rounds, which share the
 * connections to the server. The first signal ends it after the current round. For the command's own thread.
 */
final class WatchRun {
    private static final String STOPPING =
            "fdt: stopping when the current files are copied (interrupt again to stop at once)";

    /** Another attempt would end in the same way. */
    static boolean isFinal(Failure failure) {
        return switch (failure.kind()) {
            case USAGE, REFUSED, VERSION -> !failure.is(Cause.TOKEN_EXPIRED);
            case LIMIT -> !failure.is(Cause.HOST_LIMIT);
            default -> failure.is(Cause.NO_RDMA);
        };
    }

    private final Context context;
    private final ClientRequest request;
    private final @Nullable Hook hook;
    private final Displays display;
    private final EventLog log;
    private final Monitoring monitoring;
    private final @Nullable Fireflies fireflies;
    private Retry retry = newRetry();
    private final WatchTotals totals;
    private final CountDownLatch stopping = new CountDownLatch(1);
    /**
     * Files of a lost round whose sources were to be removed. They may be in place already, and only a file that is
     * copied is removed.
     */
    private final Set<RawPath> unremoved = new HashSet<>();

    private int attempts;
    private @Nullable Connected connection;
    private volatile @Nullable ProgressTicker ticker;

    /** Passes the activity of each session on. */
    private final class Observing implements Display {
        @Override
        public void onActivity(SessionActivity session) {
            monitoring.observe(session);
            if (fireflies != null) {
                fireflies.watch(session);
            }
        }
    }

    private WatchRun(Context context, ClientRequest request, @Nullable Hook hook, @Nullable SciTag tag) {
        this.context = context;
        this.request = request;
        this.hook = hook;
        ClientRequest.Output output = request.output();
        this.log = EventLog.begin(context, output.log());
        this.display = ClientCommand.displays(context, output.json(), output.manner(false), log, new Observing());
        this.monitoring = Monitoring.start(output.monitor(), "client", output.isJson(), context);
        this.fireflies = Fireflies.start(tag);
        this.totals = new WatchTotals(context.clock());
    }

    private static Retry newRetry() {
        return new Retry(Retry.FOREVER, () -> ThreadLocalRandom.current().nextDouble());
    }

    /** Returns the exit code: 0 if, at a signal, every file that was complete is in place. */
    static int run(Context context, ClientRequest request, @Nullable Hook hook, @Nullable SciTag tag) {
        return new WatchRun(context, request, hook, tag).run();
    }

    private void stop(NewFiles files) {
        stopping.countDown();
        files.close();
    }

    private int run() {
        Lifetime life = Lifetime.begin(
                context,
                STOPPING,
                Long.MAX_VALUE,
                why -> display.onEnd(totals.failedWith(why.failure("stopped before the copy had ended"))));
        context.signals().onSignal("USR1", this::status);
        Summary end;
        try (NewFiles files = begin()) {
            life.stoppedBy(why -> stop(files));
            end = life.await(() -> rounds(files, life));
        } catch (RuntimeException failure) {
            end = totals.failedWith(TransferException.of(failure));
        } finally {
            if (connection != null) {
                connection.close();
            }
        }
        life.ended();
        try {
            monitoring.leaveScreen();
            Summary result = end;
            life.speak(() -> display.onEnd(result));
        } finally {
            if (fireflies != null) {
                fireflies.close();
            }
            monitoring.close();
        }
        return end.exitCode();
    }

    private NewFiles begin() {
        NativeCode.require();
        TransferPlan copy = request.plan();
        if (request.plan().server().isNone()) {
            RawPath directory = copy.sources().get(0);
            RawPath source = watched().isEmpty() ? directory.withSlash() : directory.resolve(watched());
            new LocalTarget(copy.target()).requireApartFrom(List.of(source), false);
        }
        return new NewFiles(request.plan(), watched(), new Problems());
    }

    /** Reports each obstacle to finding files once. */
    private final class Problems implements NewFiles.Problems {
        private boolean fewWatches;

        @Override
        public void onUnreadable(TransferException why) {
            display.onWarning(why.getMessage() + ". fdt will retry.");
        }

        @Override
        public void onFewWatches(String limit) {
            if (!fewWatches) {
                fewWatches = true;
                display.onWarning("the kernel lets this user watch no more directories, so new files are found by"
                        + " scans, and copied a minute after their last change; raise fs.inotify." + limit
                        + " with sysctl");
            }
        }
    }

    private RawPath watched() {
        RawPath watched = request.watched();
        return watched == null ? RawPath.EMPTY : watched;
    }

    private Summary rounds(NewFiles files, Lifetime life) throws InterruptedException {
        for (List<RawPath> all = files.take(); !all.isEmpty(); all = files.take()) {
            totals.keep(files.failed());
            boolean again = all.stream().anyMatch(unremoved::contains);
            List<RawPath> taken =
                    again ? all.stream().filter(unremoved::contains).toList() : all;
            WatchRound round = new WatchRound(taken, watched(), totals, display);
            Summary end = copy(round, again);
            Failure failure = end.failure();
            files.onEnd(all, settled(round, failure), round.failed(), removes());
            totals.add(end, round);
            if (failure != null && isFinal(failure) && round.failed().isEmpty()) {
                return totals.failedWith(failure.exception());
            }
            if (failure == null || !round.failed().isEmpty()) {
                attempts = 0;
                retry = newRetry();
                if (end.files().inPlace() > 0 || round.hasNewFailures()) {
                    display.onRound(end);
                    tell(end);
                }
            } else {
                totals.onLost(end);
                if (end.files().inPlace() > 0) {
                    display.onRound(end);
                    tell(end);
                }
                if (stopping.getCount() == 0) {
                    break;
                }
                long pauseNanos = retry.nextPauseNanos(end);
                display.onRetry(++attempts, end, pauseNanos);
                if (stopping.await(pauseNanos, TimeUnit.NANOSECONDS)) {
                    break;
                }
            }
        }
        int incomplete = files.incompleteCount();
        if (incomplete > 0) {
            display.onWarning(
                    Figures.count(incomplete, "file") + " not copied, because not seen unchanged long enough yet");
        }
        return totals.summary(files.failed(), files.unread(), files.leftCount(), life.signal());
    }

    /** Returns the files that need no further copy. */
    private Set<RawPath> settled(WatchRound round, @Nullable Failure failure) {
        Set<RawPath> settled = new HashSet<>(round.inPlace());
        if (failure == null || failure.is(Cause.SOME_FILES_FAILED)) {
            unremoved.removeAll(settled);
        } else if (removes()) {
            TransferPlan rules = request.plan();
            boolean replaces = rules.get(CopyValue.EXISTING) == Existing.OVERWRITE
                    || (rules.get(CopyValue.EXISTING) == Existing.SKIP_SAME
                            && rules.get(CopyValue.COMPARE).seesChanges()
                            && !rules.get(CopyValue.UPDATE));
            unremoved.addAll(round.unfinished(!replaces));
            settled.removeAll(unremoved);
        }
        return settled;
    }

    private boolean removes() {
        return request.plan().get(CopyValue.REMOVE_SOURCE);
    }

    private void tell(Summary end) {
        monitoring.onCopy(end, request.sourceHost(), request.destinationHost());
        if (hook != null) {
            hook.run(JsonDisplay.summary(end));
        }
    }

    /** @param again overwrites what an earlier round may have put in place */
    private Summary copy(WatchRound round, boolean again) throws InterruptedException {
        try (TransferJob job = start(round, again)) {
            ProgressTicker started = ProgressTicker.start(job::progress, display, context.clock());
            ticker = started;
            try {
                return job.await();
            } finally {
                started.stop();
            }
        } catch (TransferException notStarted) {
            return SummaryText.withoutSession(notStarted);
        }
    }

    private TransferJob start(WatchRound round, boolean again) {
        TransferPlan plan = request.plan();
        ServerAddress server = plan.server();
        TransferPlan now = plan.with(CopyValue.NAMES, round.names());
        if (again) {
            now = now.with(CopyValue.EXISTING, Existing.OVERWRITE);
        }
        // Opening more lanes takes longer than sending so little.
        if (request.askedLanes() == 0 && isSmall(round)) {
            now = now.lanes(1);
        }
        if (server.isNone()) {
            return context.fdt().copy(now, round);
        }
        Connected open = connection;
        if (open == null) {
            open = request.network()
                    .applied(context.fdt(), server.host())
                    .connected(
                            server.host(),
                            server.port(),
                            plan.get(CopyValue.LOCAL_ADDRESSES),
                            plan.stepMs(),
                            round::onWarning);
            connection = open;
        }
        return open.copy(now, round);
    }

    private boolean isSmall(WatchRound round) {
        RawPath directory = request.plan().sources().get(0);
        long bytes = 0;
        for (RawPath name : round.names()) {
            bytes += new File(directory.resolve(name).text()).length();
            if (bytes > CopyStart.ONE_LANE_BYTES) {
                return false;
            }
        }
        return true;
    }

    private void status() {
        log.tellStatus(
                ticker, "no session yet", view -> ProgressLine.plain(view).strip());
    }
}
