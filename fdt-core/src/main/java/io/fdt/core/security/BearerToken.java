package io.fdt.core.security;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.JsonReader;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A bearer token: the variable or file that contains it. It is read for each connection, so a renewed token is used
 * from the next one on. The token appears in no {@code toString} and in no message.
 */
public final class BearerToken {
    /** Longer than any token that fits into a message. */
    private static final int MAX_CHARS = 16 << 10;

    private final String origin;
    private final @Nullable Path file;
    private final String value;

    private BearerToken(String origin, @Nullable Path file, String value) {
        this.origin = origin;
        this.file = file;
        this.value = value;
    }

    public static BearerToken ofFile(Path file) {
        return new BearerToken(file.toString(), file, "");
    }

    static BearerToken ofVariable(String value) {
        return new BearerToken("the variable BEARER_TOKEN", null, value);
    }

    /** Where the token is: its file, or the variable. */
    public String origin() {
        return origin;
    }

    /** Whether there may be another one later. */
    public boolean mayChange() {
        return file != null;
    }

    /** Returns the token as it is now. REFUSED, without quoting anything, if there is none. */
    public String read() {
        String text = file == null ? value : content(file);
        String token = (text.stripLeading().startsWith("{") ? accessToken(text) : text).strip();
        if (token.isEmpty() || token.length() > MAX_CHARS || !token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw notAToken();
        }
        return token;
    }

    private static String content(Path file) {
        byte[] bytes = HomeFile.readToken(file);
        if (bytes == null) {
            throw Cause.NO_KEY.advise("get a new token").failure("the token file " + file + " does not exist");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** HTCondor writes what the issuer answered. */
    private String accessToken(String text) {
        try (JsonReader reader = JsonReader.of(text)) {
            JsonObject answer = reader.next();
            if (answer != null && answer.has("access_token")) {
                return answer.text("access_token");
            }
        } catch (IOException notJson) {
            // Its message may quote the file.
        }
        throw notAToken();
    }

    private TransferException notAToken() {
        return Cause.NO_KEY.advise("get a new token").failure(origin + " contains no bearer token");
    }

    @Override
    public String toString() {
        return "token from " + origin;
    }
}
