package io.fdt.monitor;

import io.fdt.monitor.http.Request;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides who may use the monitor. With a token: clients that present it, as a bearer token or in the cookie that the
 * page set for it. Without one, only this machine can connect, unless the operator wants it open, and a page of another
 * origin must not gain access by a DNS name that it points here, so the requested host name must be one of this
 * machine's own.
 */
final class Gate {
    static final String COOKIE = "fdt_monitor";

    private static final String BEARER = "Bearer ";
    private static final Pattern LITERAL = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-fA-F:.%]+]");

    private final @Nullable String token;
    private final boolean open;
    private final List<String> ownNames;

    Gate(@Nullable String token, boolean open, List<String> ownNames) {
        this.token = token;
        this.open = open;
        this.ownNames = List.copyOf(ownNames);
    }

    /** Whether it may be served beyond this machine. */
    boolean isForOthers() {
        return token != null || open;
    }

    /** Whether the text is the token. Compares in constant time. */
    boolean isToken(String text) {
        String right = token;
        return right != null
                && MessageDigest.isEqual(right.getBytes(StandardCharsets.UTF_8), text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the status to refuse the request with, or 0. */
    int refusal(Request request) {
        if (token != null) {
            return showsToken(request) ? 0 : 401;
        }
        String host = request.header("Host");
        return host != null && isOwnName(host) ? 0 : 403;
    }

    private boolean showsToken(Request request) {
        String authorization = request.header("Authorization");
        if (authorization != null && authorization.startsWith(BEARER)) {
            return isToken(authorization.substring(BEARER.length()).strip());
        }
        String name = COOKIE + "=";
        return request.all("Cookie").stream()
                .flatMap(header -> Stream.of(header.split(";", -1)))
                .map(String::strip)
                .anyMatch(cookie -> cookie.startsWith(name) && isToken(cookie.substring(name.length())));
    }

    boolean isOwnName(String hostHeader) {
        int colon = hostHeader.lastIndexOf(':');
        String name = colon > hostHeader.lastIndexOf(']') ? hostHeader.substring(0, colon) : hostHeader;
        // A DNS name can be made to point anywhere, an address cannot.
        return LITERAL.matcher(name).matches() || ownNames.stream().anyMatch(name::equalsIgnoreCase);
    }
}
