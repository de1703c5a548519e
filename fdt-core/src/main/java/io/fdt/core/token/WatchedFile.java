package io.fdt.core.token;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.HomeFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The content of a file of settings, read again when it has changed. One thread looks, others get what it found. */
final class WatchedFile<T> {
    private final Path file;
    private final Supplier<T> reading;
    private @Nullable Map<String, Object> state;
    private String warning = "";
    private volatile @Nullable T content;

    /** @param reading throws what is wrong with the file */
    WatchedFile(Path file, Supplier<T> reading) {
        this.file = file;
        this.reading = reading;
    }

    /** For a file that must exist. */
    static <T> WatchedFile<T> of(Path file, Function<String, T> parse) {
        return new WatchedFile<>(file, () -> parsed(file, parse));
    }

    /** What is wrong with the file is reported once, and then it has no content. */
    void look(Consumer<String> warnings) {
        Map<String, Object> now = HomeFile.state(file);
        if (now != null && now.equals(state)) {
            return;
        }
        try {
            content = read();
            warning = "";
        } catch (TransferException wrong) {
            content = null;
            String reason = String.valueOf(wrong.getMessage());
            if (!reason.equals(warning)) {
                warnings.accept(reason + "; until then no token that needs it is accepted");
            }
            warning = reason;
        }
        state = now;
    }

    /** Returns what is in the file; throws USAGE if it cannot be used. */
    T read() {
        return reading.get();
    }

    private static <T> T parsed(Path file, Function<String, T> parse) {
        byte[] bytes = HomeFile.readSettings(file);
        if (bytes == null) {
            throw Cause.USAGE.failure(file + " does not exist");
        }
        try {
            return parse.apply(new String(bytes, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException wrong) {
            throw Cause.USAGE.failure("cannot use " + file + ": " + wrong.getMessage(), wrong);
        }
    }

    /** Null while the file cannot be used. */
    @Nullable T content() {
        return content;
    }
}
