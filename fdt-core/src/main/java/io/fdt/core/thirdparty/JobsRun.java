package io.fdt.core.thirdparty;

import io.fdt.core.control.Client;
import io.fdt.core.control.Session;
import io.fdt.core.control.SessionHandler;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.JobsPlan;
import io.fdt.core.plan.RawPath;
import io.fdt.core.receipt.FetchedReceipt;
import io.fdt.core.run.Resources;
import io.fdt.core.run.RunningThread;
import io.fdt.core.stats.JobReport;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.ThirdPartyMessage.JobPage;
import io.fdt.core.wire.ThirdPartyMessage.OpenJobs;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lists, follows or cancels detached copies at the client, on its own thread, {@code fdt-session}. Failures are put
 * into the summary instead of thrown, if possible; a client that stops following a copy does not stop the copy.
 */
public final class JobsRun extends RunningThread<Summary> implements TransferJob {
    private final JobsPlan plan;
    private final Client client;
    private final Consumer<JobReport> found;
    private final TransferObserver observer;
    private volatile @Nullable Following following;
    private @Nullable Summary end;

    /** Starts at once. The resources are closed with it. */
    public JobsRun(
            JobsPlan plan, Client client, Consumer<JobReport> found, TransferObserver observer, Resources resources) {
        super("fdt-session", resources);
        this.plan = plan;
        this.client = client;
        this.found = found;
        this.observer = observer;
        begin();
    }

    @Override
    protected void work() throws InterruptedException {
        RawPath file = plan.receipt();
        try (@Nullable FetchedReceipt receipt = file == null ? null : new FetchedReceipt(file)) {
            follow(receipt);
        }
    }

    private void follow(@Nullable FetchedReceipt receipt) throws InterruptedException {
        throwIfInterrupted();
        Session session = client.open(
                Client.resolved(plan.host(), plan.port()),
                null,
                new OpenJobs(plan.timeoutMs(), plan.action(), plan.job(), receipt != null),
                plan.timeoutMs());
        TransferException failure = null;
        try {
            Following jobs = new Following(new FollowedCopy(session, DigestKind.NONE, false, receipt, observer));
            following = jobs;
            stoppedBy(session::interrupt);
            observer.onActivity(session.activity());
            session.attach(jobs);
            throwIfInterrupted();
            session.run();
            end = jobs.isListed() ? null : jobs.copy.summary(jobs.elapsedNanos());
        } catch (RuntimeException e) {
            failure = TransferException.of(e);
            throw failure;
        } finally {
            session.end(failure);
        }
    }

    @Override
    protected Summary sumUp(@Nullable TransferException failure) {
        Summary copied = end;
        return copied != null && failure == null ? copied : Summary.of(failure, progress(), List.of(), "none", "");
    }

    @Override
    public Progress progress() {
        Following known = following;
        return known == null ? Progress.NONE.after(elapsedNanos()) : known.copy.progress(known.elapsedNanos());
    }

    /** Receives the answer: jobs, and the reports of the one that is followed. */
    private final class Following implements SessionHandler {
        private final FollowedCopy copy;
        private volatile boolean listed;
        private volatile @Nullable JobReport job;
        private volatile long reportedNanos;

        Following(FollowedCopy copy) {
            this.copy = copy;
        }

        boolean isListed() {
            return listed;
        }

        /** How long the copy has taken, of which this process may have seen only the end. */
        long elapsedNanos() {
            JobReport known = job;
            if (known == null) {
                return JobsRun.this.elapsedNanos();
            }
            long sinceNanos = known.end() == null ? JobsRun.this.elapsedNanos() - reportedNanos : 0;
            return known.progress().elapsedNanos() + sinceNanos;
        }

        @Override
        public boolean takes(Class<? extends ControlMessage> type) {
            return type == JobPage.class || copy.takes(type);
        }

        @Override
        public void onMessage(ControlMessage message) {
            if (message instanceof JobPage page) {
                page.jobs().forEach(this::onJob);
                listed = page.last();
            } else {
                copy.onMessage(message);
            }
        }

        private void onJob(JobReport report) {
            if (plan.action() == JobsPlan.Action.WAIT) {
                reportedNanos = JobsRun.this.elapsedNanos();
                job = report;
            }
            found.accept(report);
        }

        @Override
        public boolean isDone() {
            return listed || copy.isDone();
        }

        @Override
        public void onLinkClosed(@Nullable TransferException cause) {
            copy.onLinkClosed(cause);
        }
    }
}
