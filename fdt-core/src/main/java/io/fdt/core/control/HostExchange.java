package io.fdt.core.control;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.HostView;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.stats.Bottleneck;
import io.fdt.core.stats.ForeignLoad;
import io.fdt.core.stats.PeerHost;
import io.fdt.core.stats.RecentStages;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.wire.SessionMessage;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges host figures, and what the lanes spend their time on, between the two ends of a session while they are
 * needed: an end that is asked sends them once a second for ten seconds, however often it is asked; an end that needs
 * them asks every five. None of this counts as a message of the session, and what is lost with a link is not resent:
 * the next second brings new figures. Thread-safe; no call blocks.
 */
final class HostExchange implements PeerHost {
    static final long TELL_PERIOD_MS = 1_000;

    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long ASK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Older figures no longer describe the host's present state. */
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** The time series of a core or NIC. */
    private static final int SERIES_EACH = 5;

    /** A link on which this much is queued has no capacity for figures. */
    private static final long MAX_QUEUED_BYTES = 1L << 20;

    private final ControlChannel channel;
    private final Clock clock;
    private final SessionActivity here;
    private final RecentStages stages;
    private final BooleanSupplier gone;

    private @Nullable ScheduledFuture<?> telling;
    private long tellUntilNanos;
    /** Whether the other end knows the session. */
    private boolean begun;

    private boolean askedTooEarly;
    private boolean asked;
    private long askedNanos;
    private @Nullable HostView first;
    private @Nullable HostView view;
    private long viewNanos;
    private Bottleneck.@Nullable Share share;
    private long shareNanos;
    private boolean closed;

    /** @param gone whether the other end has gone although it is needed; must not block */
    HostExchange(ControlChannel channel, Clock clock, SessionActivity here, BooleanSupplier gone) {
        this.channel = channel;
        this.clock = clock;
        this.here = here;
        this.stages = new RecentStages(here);
        this.gone = gone;
    }

    @Override
    public boolean isGone() {
        return gone.getAsBoolean();
    }

    /** The other end now knows the session; before that it would not understand a request. */
    void begin() {
        synchronized (this) {
            begun = true;
            if (!askedTooEarly) {
                return;
            }
        }
        ask();
    }

    @Override
    public void ask() {
        synchronized (this) {
            long now = clock.nanoTime();
            if (!begun) {
                askedTooEarly = true;
                return;
            }
            if (closed || (asked && now - askedNanos < ASK_AGAIN_NANOS)) {
                return;
            }
            asked = true;
            askedNanos = now;
        }
        channel.sendOnLink(new SessionMessage.AskHost());
    }

    @Override
    public synchronized @Nullable HostView view() {
        return clock.nanoTime() - viewNanos <= STALE_NANOS ? view : null;
    }

    @Override
    public synchronized Bottleneck.@Nullable Share share() {
        return clock.nanoTime() - shareNanos <= STALE_NANOS ? share : null;
    }

    synchronized boolean expectsReport() {
        return asked && !closed;
    }

    /** Called when the other end requests figures. */
    synchronized void onAsked() {
        if (closed) {
            return;
        }
        tellUntilNanos = clock.nanoTime() + TELL_NANOS;
        if (telling == null) {
            try {
                telling = channel.every(TELL_PERIOD_MS, this::tell);
            } catch (RejectedExecutionException ending) {
                closed = true;
            }
        }
    }

    /**
     * Called when the other end sends figures. Ignores figures that were not requested, and those of cores and NICs
     * that its first report did not have: each of them is a time series of the monitor, charged to this budget.
     */
    synchronized void onReport(HostView told, Budget budget) {
        if (!asked || closed) {
            return;
        }
        if (first == null) {
            long series =
                    (long) SERIES_EACH * (told.cores().size() + told.nics().size());
            if (!budget.tryTake(Resource.SERIES, series)) {
                return;
            }
            first = told;
        }
        view = withNamesOf(first, told);
        viewNanos = clock.nanoTime();
    }

    /** Called when the other end sends what its lanes do. Ignores what was not requested, and unknown words. */
    synchronized void onStage(SessionMessage.StageReport told) {
        if (asked && !closed && Bottleneck.isLimit(told.limit())) {
            share = new Bottleneck.Share(told.limit(), told.percent());
            shareNanos = clock.nanoTime();
        }
    }

    private static HostView withNamesOf(HostView first, HostView told) {
        Set<Integer> cores = first.cores().stream().map(HostView.Core::core).collect(Collectors.toSet());
        Set<String> nics = first.nics().stream().map(HostView.Nic::nic).collect(Collectors.toSet());
        return new HostView(
                first.host(),
                told.cores().stream()
                        .filter(core -> cores.contains(core.core()))
                        .toList(),
                told.nics().stream().filter(nic -> nics.contains(nic.nic())).toList());
    }

    private void tell() {
        synchronized (this) {
            if (closed || clock.nanoTime() - tellUntilNanos > 0) {
                stop();
                return;
            }
        }
        // Only the timer's thread looks.
        stages.look(ForeignLoad.prevailedRecently());
        if (channel.queuedBytes() > MAX_QUEUED_BYTES) {
            return;
        }
        Bottleneck.Share now = stages.share();
        if (now != null) {
            channel.sendOnLink(new SessionMessage.StageReport(now.limit(), now.percent()));
        }
        HostView host = here.host();
        if (host != null) {
            channel.sendOnLink(new SessionMessage.HostReport(host));
        }
    }

    private synchronized void stop() {
        if (telling != null) {
            telling.cancel(false);
            telling = null;
        }
    }

    /** Stops sending and accepting figures. */
    synchronized void close() {
        closed = true;
        view = null;
        share = null;
        stop();
    }
}
