package io.fdt.cli.display;

import io.fdt.cli.console.Console;
import io.fdt.core.basic.Figures;
import io.fdt.core.basic.Word;
import io.fdt.core.failure.Failure;
import org.jspecify.annotations.Nullable;

/** Lists on standard output what a dry run would do with each file. Thread-safe. */
public record DryRunList(Console console) implements Display {
    static boolean has(FileOutcome outcome) {
        return switch (outcome) {
            case WOULD_COPY, WOULD_REPLACE, WOULD_DELETE -> true;
            case COPIED, RESUMED, SKIPPED, FAILED, DELETED -> false;
        };
    }

    @Override
    public void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {
        if (has(outcome)) {
            boolean data = outcome != FileOutcome.WOULD_DELETE;
            console.data(Word.of(outcome).replace('_', ' ') + " " + path
                    + (data ? " (" + Figures.bytes(sizeBytes) + ")" : ""));
        }
    }
}
