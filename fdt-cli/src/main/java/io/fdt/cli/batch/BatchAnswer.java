package io.fdt.cli.batch;

import io.fdt.cli.console.Console;
import io.fdt.core.FailureKind;
import io.fdt.core.JsonLine;
import io.fdt.core.Word;
import io.fdt.core.plan.Printable;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** The answers to one request: any number of lines, then exactly one {@code done} or {@code error}. Thread-safe. */
final class BatchAnswer {
    private final Console console;
    private final @Nullable Object id;
    private final IntConsumer ended;
    private final AtomicBoolean over = new AtomicBoolean();

    /** @param ended receives the exit code, after the last line */
    BatchAnswer(Console console, @Nullable Object id, IntConsumer ended) {
        this.console = console;
        this.id = id;
        this.ended = ended;
    }

    void line(String type, JsonLine.Body body) {
        if (!over.get()) {
            print(type, body);
        }
    }

    private void print(String type, JsonLine.Body body) {
        String text = Printable.json(JsonLine.text(line -> {
            if (id instanceof Long number) {
                line.number("id", number);
            } else {
                line.text("id", (String) id);
            }
            line.text("type", type);
            body.writeTo(line);
        }));
        console.data((text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Only the first end counts. */
    void done(JsonLine.Body body) {
        end(0, "done", body);
    }

    void error(FailureKind kind, String message, JsonLine.Body more) {
        end(kind.exitCode(), "error", line -> {
            line.number("exit_code", kind.exitCode());
            line.text("kind", Word.of(kind));
            line.text("message", message);
            line.text("remedy", kind.remedy(message));
            more.writeTo(line);
        });
    }

    void error(FailureKind kind, String message) {
        error(kind, message, line -> {});
    }

    private void end(int exitCode, String type, JsonLine.Body body) {
        if (over.compareAndSet(false, true)) {
            print(type, body);
            ended.accept(exitCode);
        }
    }
}
