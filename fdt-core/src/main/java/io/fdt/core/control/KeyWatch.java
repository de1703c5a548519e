package io.fdt.core.control;

import io.fdt.core.basic.Clock;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.run.SurvivedFailures;
import io.fdt.core.run.Threads;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.storage.posix.FileWatch;
import io.fdt.core.token.Issuers;
import io.fdt.core.token.TokenSettings;
import io.fdt.core.transport.EventDescriptor;
import io.fdt.core.transport.WakeUp;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A server's keys and trusted issuers in memory. One thread, {@code fdt-keys}, reads their files: when they have
 * changed, and before a client is asked to authenticate. So a home on a file server that does not respond blocks only
 * that thread. Ends sessions whose key or token is no longer valid, and reports added and removed keys. While the file
 * of keys cannot be read, no new client is admitted, and running sessions continue. Thread-safe.
 */
final class KeyWatch implements AutoCloseable {
    /** A use so soon after the last one is not noted. */
    private static final long USE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** For changes that the kernel does not report: of a directory above the home, or of the clock. */
    private static final long SAFETY_MS = 60_000;

    /** Reading may have failed for lack of something that is available again soon. */
    private static final long UNREADABLE_MS = 250;

    /** An editor may replace the file by moving it away first. */
    private static final long GONE_MS = 250;

    /** While the home does not respond, more and more clients may wait. */
    private static final int MAX_WAITING = 4096;

    private final KeyStore keys;
    private final Issuers issuers;
    private final ServerObserver observer;
    private final Supplier<Collection<OpenSession>> running;
    private final long safetyMs;
    private final Clock clock;
    private final Function<@Nullable Path, FileWatch> watching;
    private final SurvivedFailures failures = new SurvivedFailures();
    private final WakeUp wakeUp;
    private volatile Map<String, AccessKey> known = Map.of();
    private volatile boolean closed;
    private volatile TokenSettings trusted;
    private volatile BiConsumer<Map<String, AccessKey>, TokenSettings> passOn = (keys, ofNoOtherProcess) -> {};
    private List<Runnable> waiting = new ArrayList<>();
    private final Map<String, Long> usedAtNanos = new ConcurrentHashMap<>();
    private final Queue<String> used = new ConcurrentLinkedQueue<>();

    // Used only by this object's thread.
    private boolean everRead;
    private @Nullable String lastWarning;

    private boolean lookFailed;
    /** Since when there have been no keys or issuers, although some are known; null if that is not so. */
    private @Nullable Long goneSinceNanos;

    private Instant looked = KeyStore.now();
    private @Nullable FileWatch file;

    /** @param running the sessions that the keys and the tokens admitted */
    KeyWatch(KeyStore keys, Issuers issuers, ServerObserver observer, Supplier<Collection<OpenSession>> running) {
        this(keys, issuers, observer, running, SAFETY_MS, Clock.SYSTEM, FileWatch::new);
    }

    /**
     * @param safetyMs after this time, the file is looked at even if nothing reports a change
     * @param watching begins to watch a file; is called again if it failed
     */
    KeyWatch(
            KeyStore keys,
            Issuers issuers,
            ServerObserver observer,
            Supplier<Collection<OpenSession>> running,
            long safetyMs,
            Clock clock,
            Function<@Nullable Path, FileWatch> watching) {
        this.keys = keys;
        this.issuers = issuers;
        this.observer = observer;
        this.running = running;
        this.safetyMs = safetyMs;
        this.clock = clock;
        this.watching = watching;
        try {
            wakeUp = new EventDescriptor();
        } catch (IOException noDescriptors) {
            throw Cause.UNAVAILABLE.failure(String.valueOf(noDescriptors.getMessage()), noDescriptors);
        }
        try {
            known = keys.byIds();
            everRead = true;
        } catch (TransferException unreadable) {
            // Reported at the first read.
            everRead = false;
        }
        issuers.read(observer::onWarning);
        trusted = issuers.look(observer::onWarning);
        Threads.start("fdt-keys", this::watch);
    }

    /** Passes on whom to admit, now and after each change, before a client is admitted by it. Must return soon. */
    void passOn(BiConsumer<Map<String, AccessKey>, TokenSettings> to) {
        passOn = to;
        to.accept(known, trusted);
        wakeUp.ring();
    }

    /** The keys by id, as of the last successful read of their file. */
    Map<String, AccessKey> known() {
        return known;
    }

    /**
     * Has the file read, then runs the action on the reading thread, which it must not block; not if too many are
     * waiting.
     */
    void whenRead(Runnable next) {
        synchronized (this) {
            if (waiting.size() < MAX_WAITING) {
                waiting.add(next);
            }
        }
        wakeUp.ring();
    }

    Issuers issuers() {
        return issuers;
    }

    /** Returns why a key or a token that admitted a client is no longer valid; null if it is valid. */
    @Nullable Failure objectionTo(AccessKey admitted) {
        return objectionTo(admitted, known, KeyStore.now());
    }

    private @Nullable Failure objectionTo(AccessKey admitted, Map<String, AccessKey> byIds, Instant moment) {
        return admitted.subject() == null
                ? KeyStore.objectionTo(admitted, byIds, moment)
                : issuers.objectionTo(admitted, moment);
    }

    /** Has the time noted at which a client has proven this key. Any thread; returns at once. */
    void onProven(String id) {
        long now = clock.nanoTime();
        Long last = usedAtNanos.get(id);
        if (last == null || now - last > USE_NANOS) {
            usedAtNanos.put(id, now);
            used.add(id);
            wakeUp.ring();
        }
    }

    /**
     * Ends a session whose key was revoked while it was being opened. Call this once it is among the running ones: then
     * either this, or a look that finds the key gone, sees the other.
     */
    void onSessionOpened(OpenSession opened) {
        endUnlessGood(opened, known, KeyStore.now());
        if (opened.key().subject() != null) {
            // It may end before anything that is known by now.
            wakeUp.ring();
        }
    }

    private void endUnlessGood(OpenSession open, Map<String, AccessKey> keys, Instant now) {
        Failure objection = objectionTo(open.key(), keys, now);
        if (objection != null) {
            open.end(objection.exception());
        }
    }

    /** Whatever fails, it looks again soon: otherwise, revoked keys would keep their sessions. */
    private void watch() throws InterruptedException {
        try (WakeUp asked = wakeUp) {
            while (!closed) {
                if (!failures.survives(() -> awaitChange(asked))) {
                    Thread.sleep(Math.min(UNREADABLE_MS, safetyMs));
                }
                asked.heard();
                lookFailed = !failures.survives(this::look);
            }
        } finally {
            if (file != null) {
                file.close();
            }
        }
    }

    private void awaitChange(WakeUp asked) {
        FileWatch watched = file;
        if (watched == null) {
            watched = watching.apply(keys.path());
            file = watched;
        }
        watched.await(asked.descriptor(), waitMs());
    }

    private long waitMs() {
        boolean soon = lookFailed || lastWarning != null;
        long longestMs = soon ? Math.min(UNREADABLE_MS, safetyMs) : safetyMs;
        Long goneSince = goneSinceNanos;
        if (goneSince != null) {
            long goneMs = TimeUnit.NANOSECONDS.toMillis(clock.nanoTime() - goneSince);
            longestMs = Math.min(longestMs, Math.max(0, GONE_MS - goneMs));
        }
        Stream<AccessKey> tokens = issuers.isEmpty()
                ? Stream.empty()
                : running.get().stream().map(OpenSession::key).filter(key -> key.subject() != null);
        return Math.min(longestMs, KeyStore.nextExpiryMs(Stream.concat(known.values().stream(), tokens), looked));
    }

    /** Whether all keys or issuers have disappeared only a moment ago. */
    private boolean mayComeBack(Map<String, AccessKey> now) {
        if ((!now.isEmpty() || known.isEmpty()) && !issuers.haveGone()) {
            goneSinceNanos = null;
            return false;
        }
        long nanos = clock.nanoTime();
        Long goneSince = goneSinceNanos;
        if (goneSince == null) {
            goneSinceNanos = nanos;
            return true;
        }
        if (nanos - goneSince < TimeUnit.MILLISECONDS.toNanos(GONE_MS)) {
            return true;
        }
        goneSinceNanos = null;
        return false;
    }

    private void look() {
        looked = KeyStore.now();
        List<Runnable> asked;
        synchronized (this) {
            asked = waiting;
            waiting = new ArrayList<>();
        }
        issuers.read(observer::onWarning);
        Map<String, AccessKey> now;
        try {
            now = keys.byIds();
        } catch (TransferException unreadable) {
            String warning = String.valueOf(unreadable.getMessage());
            if (!warning.equals(lastWarning)) {
                lastWarning = warning;
                observer.onWarning(warning + "; until then the server admits no new clients");
            }
            return;
        }
        lastWarning = null;
        if (mayComeBack(now)) {
            // New clients wait for the next look.
            synchronized (this) {
                asked.addAll(waiting);
                waiting = asked;
            }
            return;
        }
        Map<String, AccessKey> before = known;
        boolean changed = everRead && !before.keySet().equals(now.keySet());
        known = now;
        everRead = true;
        TokenSettings trustedBefore = trusted;
        trusted = issuers.look(observer::onWarning);
        passOn.accept(now, trusted);
        for (String id = used.poll(); id != null; id = used.poll()) {
            keys.noteUse(id);
        }
        usedAtNanos.keySet().retainAll(now.keySet());
        asked.forEach(Runnable::run);
        running.get().forEach(open -> endUnlessGood(open, now, looked));
        if (changed) {
            reportChanges(before, now);
        }
        trusted.changesSince(trustedBefore).forEach(observer::onIssuer);
    }

    /** Only names and ids are reported, never secrets. */
    private void reportChanges(Map<String, AccessKey> before, Map<String, AccessKey> now) {
        now.values().stream()
                .filter(key -> !before.containsKey(key.id()))
                .forEach(key -> observer.onKeyCreated(key.name(), key.id()));
        before.values().stream()
                .filter(key -> !now.containsKey(key.id()))
                .forEach(key -> observer.onKeyRevoked(key.name(), key.id()));
    }

    @Override
    public void close() {
        closed = true;
        issuers.close();
        wakeUp.ring();
    }
}
