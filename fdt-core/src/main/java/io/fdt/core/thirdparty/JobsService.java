package io.fdt.core.thirdparty;

import io.fdt.core.control.Service;
import io.fdt.core.control.Session;
import io.fdt.core.control.SessionHandler;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.JobsPlan;
import io.fdt.core.plan.Printable;
import io.fdt.core.receipt.KeptReceipt;
import io.fdt.core.stats.JobReport;
import io.fdt.core.stats.Summary;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.ThirdPartyMessage;
import io.fdt.core.wire.ThirdPartyMessage.FileReport;
import io.fdt.core.wire.ThirdPartyMessage.JobPage;
import io.fdt.core.wire.ThirdPartyMessage.OpenJobs;
import io.fdt.core.wire.ThirdPartyMessage.ThirdPartyFilesHeard;
import io.fdt.core.wire.ThirdPartyMessage.ThirdPartyStarted;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lists the copies that outlive their clients to the holder of the key that started them, and lets that client follow
 * or cancel one. For any other key they do not exist.
 */
public record JobsService(DetachedCopies copies) implements Service {
    @Override
    public String describe(ControlMessage open) {
        OpenJobs request = (OpenJobs) open;
        return switch (request.action()) {
            case LIST -> "list jobs";
            case WAIT -> "wait for job " + Printable.shortened(request.job());
            case CANCEL -> "cancel job " + Printable.shortened(request.job());
        };
    }

    @Override
    public Grant grant(ControlMessage open) {
        return new Grant(0, false, ((OpenJobs) open).timeoutMs());
    }

    @Override
    public boolean isForOthers(ControlMessage open) {
        return ((OpenJobs) open).action() != JobsPlan.Action.WAIT;
    }

    @Override
    public Summary serve(Session session, ControlMessage open) throws InterruptedException {
        OpenJobs request = (OpenJobs) open;
        TransferException failure = null;
        try {
            if (request.action() == JobsPlan.Action.LIST) {
                Answering answering = new Answering(session, null, false, null);
                session.serve(answering, () -> list(session));
            } else {
                DetachedCopy copy = copies.find(session.keyId(), request.job());
                if (copy == null) {
                    throw Cause.MISSING
                            .advise(
                                    "jobs are lost when a server ends, and kept for a day after their end: run the copy again to resume it")
                            .failure("this server has no job " + Printable.shortened(request.job()) + " of this key");
                }
                KeptReceipt receipt = request.receipt() ? copy.receipt() : null;
                if (request.receipt() && receipt == null) {
                    throw Cause.USAGE.failure("the job " + Printable.shortened(request.job())
                            + " has no receipt, because it was started without --receipt; wait for it"
                            + " without --receipt");
                }
                boolean follows = request.action() == JobsPlan.Action.WAIT;
                Answering answering = new Answering(session, copy, follows, receipt);
                try {
                    session.serve(answering, answering::begin);
                } finally {
                    answering.receipt.close();
                }
            }
        } catch (RuntimeException | Error e) {
            failure = TransferException.of(e);
            session.end(failure);
        }
        return Summary.of(failure, 0, 0, 0, 0, session.elapsedNanos(), session.name());
    }

    private void list(Session session) {
        List<JobReport> jobs =
                copies.of(session.keyId()).stream().map(DetachedCopy::report).toList();
        int sent = 0;
        do {
            int next = Math.min(jobs.size(), sent + Bounds.MAX_PAGE_JOBS);
            session.send(new JobPage(jobs.subList(sent, next), next == jobs.size()));
            sent = next;
        } while (sent < jobs.size());
    }

    /** Waits for the end of a copy; reports it as while the client waits, if the client wants to follow it. */
    private static final class Answering implements SessionHandler {
        private static final long TELL_NANOS = 1_000_000_000L;

        private final Session session;
        private final @Nullable DetachedCopy copy;
        private final boolean follows;
        private final FilePages pages;
        private final ReceiptParts receipt;
        /** The result, while the receipt is sent. */
        private @Nullable Summary result;

        private boolean started;
        private boolean done;
        private long lastReport;

        /**
         * @param copy null if there is nothing to wait for
         * @param receipt that the client wants; null for none
         */
        Answering(Session session, @Nullable DetachedCopy copy, boolean follows, @Nullable KeptReceipt receipt) {
            this.session = session;
            this.copy = copy;
            this.follows = follows;
            this.pages = new FilePages(page -> session.send(new ThirdPartyMessage.ThirdPartyFiles(page)));
            this.receipt = new ReceiptParts(receipt, pages, session::send);
            this.done = copy == null;
            this.lastReport = session.clock().nanoTime();
        }

        void begin() {
            DetachedCopy known = copy;
            if (known == null) {
                return;
            }
            if (follows) {
                session.send(new JobPage(List.of(known.report()), false));
                session.send(new ThirdPartyMessage.ThirdPartyProgress(known.progress()));
            } else {
                known.cancel();
            }
        }

        @Override
        public void onTick() {
            DetachedCopy known = copy;
            if (known == null || done || result != null) {
                return;
            }
            JobReport report = known.report();
            Summary end = report.end();
            if (follows) {
                reportStart(known);
                long now = session.clock().nanoTime();
                if (end != null || now - lastReport >= TELL_NANOS) {
                    lastReport = now;
                    session.send(new ThirdPartyMessage.ThirdPartyProgress(report.progress()));
                }
            }
            if (end != null) {
                finish(known, report, end);
            }
        }

        private void reportStart(DetachedCopy known) {
            ThirdPartyStarted start = known.start();
            if (start != null && !started) {
                started = true;
                session.send(start);
            }
        }

        private void finish(DetachedCopy known, JobReport report, Summary end) {
            if (follows) {
                sendFailures(known);
                result = end;
                sendRest();
            } else {
                session.send(new JobPage(List.of(report), true));
                done = true;
            }
        }

        private void sendRest() {
            Summary last = result;
            if (last != null && (!started || receipt.sendMore())) {
                result = null;
                session.send(new ThirdPartyMessage.ThirdPartyEnded(last));
                done = true;
            }
        }

        /** So few are kept that no page waits for a confirmation. */
        private void sendFailures(DetachedCopy known) {
            try {
                for (FileReport file : known.failedFiles()) {
                    pages.add(file);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            pages.finish();
        }

        @Override
        public boolean takes(Class<? extends ControlMessage> type) {
            return type == ThirdPartyFilesHeard.class;
        }

        @Override
        public void onMessage(ControlMessage message) {
            if (!(message instanceof ThirdPartyFilesHeard heard) || !pages.onConfirmed(heard.pages())) {
                throw SessionHandler.unexpected(session, message);
            }
            sendRest();
        }

        @Override
        public boolean isDone() {
            return done;
        }

        @Override
        public void onLinkClosed(@Nullable TransferException cause) {
            if (!done) {
                throw SessionHandler.lost(session, cause, " stopped waiting for the job");
            }
        }
    }
}
