package io.fdt.cli.display;

import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Failure;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Combines all displays of a transfer. Only the first end counts. */
public final class Displays implements Display {
    private final List<Display> all;
    private final long[] sinceProgressMs;
    private final AtomicBoolean ended = new AtomicBoolean();

    public Displays(List<Display> all) {
        this.all = List.copyOf(all);
        this.sinceProgressMs = new long[all.size()];
    }

    @Override
    public void onActivity(SessionActivity session) {
        all.forEach(display -> display.onActivity(session));
    }

    @Override
    public void onStart(String session, int lanes, String transport, String peer) {
        all.forEach(display -> display.onStart(session, lanes, transport, peer));
    }

    @Override
    public void onFound(Supplier<String> path, long sizeBytes) {
        all.forEach(display -> display.onFound(path, sizeBytes));
    }

    @Override
    public void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {
        all.forEach(display -> display.onFile(path, outcome, sizeBytes, why));
    }

    @Override
    public void onFileInPlace(String path, FileOutcome outcome, long sizeBytes, Map<FileHash, String> checksums) {
        all.forEach(display -> display.onFileInPlace(path, outcome, sizeBytes, checksums));
    }

    @Override
    public boolean wantsChecksumsOfSkipped() {
        return all.stream().anyMatch(Display::wantsChecksumsOfSkipped);
    }

    @Override
    public void onWarning(String message) {
        all.forEach(display -> display.onWarning(message));
    }

    /** Returns the shortest interval of all displays. */
    @Override
    public long progressIntervalMs() {
        long shortestMs = 0;
        for (Display each : all) {
            long intervalMs = each.progressIntervalMs();
            if (intervalMs > 0 && (shortestMs == 0 || intervalMs < shortestMs)) {
                shortestMs = intervalMs;
            }
        }
        return shortestMs;
    }

    /** Each display gets one view per interval of its own. Called by one thread, at the shortest interval. */
    @Override
    public void onProgress(ProgressView view) {
        long stepMs = progressIntervalMs();
        for (int i = 0; i < sinceProgressMs.length; i++) {
            long intervalMs = all.get(i).progressIntervalMs();
            sinceProgressMs[i] += stepMs;
            if (intervalMs > 0 && sinceProgressMs[i] >= intervalMs) {
                sinceProgressMs[i] = 0;
                all.get(i).onProgress(view);
            }
        }
    }

    @Override
    public void onRetry(int attempt, Summary failed, long pauseNanos) {
        all.forEach(display -> display.onRetry(attempt, failed, pauseNanos));
    }

    @Override
    public void onRound(Summary round) {
        all.forEach(display -> display.onRound(round));
    }

    @Override
    public void onEnd(Summary summary) {
        if (ended.compareAndSet(false, true)) {
            all.forEach(display -> display.onEnd(summary));
        }
    }
}
