package io.fdt.cli.list;

import io.fdt.cli.console.Console;
import io.fdt.cli.display.FailureReport;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.files.ListObserver.Entry;
import io.fdt.core.files.ListObserver.Space;
import io.fdt.core.files.OperationObserver;
import io.fdt.core.files.OperationSummary;
import io.fdt.core.plan.FileOperation.Action;
import io.fdt.core.plan.Printable;
import io.fdt.core.plan.RawPath;
import io.fdt.core.receipt.ManifestWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints the answers of an operation on files, one per line. What only changes something is silent. Thread-safe. */
final class FileView implements OperationObserver {
    private final Console console;
    private final FileRequest request;
    private final boolean json;
    private Map<RawPath, String> texts = Map.of();
    private boolean ended;

    FileView(Console console, FileRequest request, boolean json) {
        this.console = console;
        this.request = request;
        this.json = json;
    }

    /** @param shown the paths as the user wrote them */
    synchronized void begin(Map<RawPath, String> shown) {
        texts = shown;
    }

    /** What stays below a path that was to be removed has none from the user. */
    private String shown(RawPath path) {
        return texts.getOrDefault(path, path.text());
    }

    @Override
    public synchronized void onEntry(Entry entry, byte[] digest, @Nullable String doubt) {
        if (ended) {
            return;
        }
        String path = shown(entry.path());
        if (json) {
            JsonObject shown = EntryJson.of("entry", entry, path);
            String text =
                    EntryJson.withFound(shown, request.sumType(), digest, doubt).text();
            console.data(line(Printable.json(text)));
        } else if (request.operation().action() == Action.SUM) {
            console.data(ManifestWriter.line(digest, RawPath.ofText(path)));
        } else if (request.operation().action() == Action.STAT) {
            String name = RawPath.ofText(path).display();
            String text = ListView.longLine(entry, Long.toString(entry.bytes()), name);
            console.data(line(doubt == null ? text : text + " (" + doubt + ")"));
        }
    }

    /** Without the lock: it may wait for the reader. */
    @Override
    public void onData(byte[] bytes) {
        console.data(bytes);
        if (console.isReaderGone()) {
            throw Cause.READER_GONE.failure("the reader of standard output has ended");
        }
    }

    @Override
    public synchronized void onFailed(RawPath path, Failure why) {
        if (ended) {
            return;
        }
        if (json) {
            console.data(line(Printable.json(new JsonObject()
                    .with("type", "error")
                    .with(why.json())
                    .with("path", shown(path))
                    .with("message", shown(path) + ": " + why.reason())
                    .with("remedy", why.remedy())
                    .text())));
        }
        console.failure("fdt: " + RawPath.ofText(shown(path)).display() + ": " + why.advice());
    }

    @Override
    public synchronized void onSpace(Space space) {
        if (!ended) {
            String path = shown(space.path());
            console.data(line(
                    json ? Printable.json(EntryJson.of("space", space, path).text()) : ListView.spaceLine(space)));
        }
    }

    private static byte[] line(String text) {
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Shows a failure of the whole; those of paths were shown as they came. A reader has ended by choice. */
    @Override
    public synchronized void onEnd(OperationSummary summary) {
        Failure failure = summary.failure();
        if (!ended && failure != null && failure.cause() != Cause.READER_GONE && summary.failed() == 0) {
            FailureReport.show(console, json, failure);
        }
        ended = true;
    }
}
