package io.fdt.cli.batch;

import io.fdt.cli.console.Console;
import io.fdt.cli.display.JsonDisplay;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.Printable;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An open request: its answers, which are any number of lines, then exactly one {@code done} or {@code error}, and what
 * ends it early. Thread-safe.
 */
final class BatchAnswer {
    private final Console console;
    private final @Nullable Object id;
    private final IntConsumer ended;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile Runnable atEnd = () -> {};
    private @Nullable Consumer<Failure> stopper;
    private @Nullable Failure stopped;

    /** @param ended receives the exit code, after the last line */
    BatchAnswer(Console console, @Nullable Object id, IntConsumer ended) {
        this.console = console;
        this.id = id;
        this.ended = ended;
    }

    /** Runs it before the last line. Called once, before the request begins. */
    void atEnd(Runnable task) {
        atEnd = task;
    }

    /** From now on this ends the request early, and at once if somebody wanted it before. */
    synchronized void stoppedBy(Consumer<Failure> how) {
        stopper = how;
        if (stopped != null) {
            how.accept(stopped);
        }
    }

    synchronized void stop(Failure why) {
        stopped = why;
        if (stopper != null) {
            stopper.accept(why);
        }
    }

    /** Returns why somebody ended the request early; the argument if nobody did. */
    synchronized Failure stopOr(Failure other) {
        return stopped == null ? other : stopped;
    }

    void line(String type, JsonObject object) {
        if (!over.get()) {
            print(type, object);
        }
    }

    private void print(String type, JsonObject object) {
        String text = Printable.json(
                new JsonObject().with("id", id).with("type", type).with(object).text());
        console.data((text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Only the first end counts. */
    void done(JsonObject object) {
        end(0, "done", object);
    }

    void error(Failure why, JsonObject more) {
        end(why.exitCode(), "error", JsonDisplay.errorOf(why).with(more));
    }

    void error(Failure why) {
        error(why, new JsonObject());
    }

    private void end(int exitCode, String type, JsonObject object) {
        if (over.compareAndSet(false, true)) {
            atEnd.run();
            print(type, object);
            ended.accept(exitCode);
        }
    }
}
