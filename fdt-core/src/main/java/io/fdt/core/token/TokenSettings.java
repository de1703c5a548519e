package io.fdt.core.token;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.JsonReader;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which tokens a server accepts.
 *
 * @param audiences a token must name one of them
 * @param origin null if these settings never change
 */
public record TokenSettings(
        List<TrustedIssuer> issuers,
        List<String> audiences,
        @Nullable Origin origin) {
    /** No tokens at all. */
    public static final TokenSettings NONE = new TokenSettings(List.of(), List.of());

    /**
     * An issuer.
     *
     * @param url as its tokens name it
     * @param keys a file with its public keys (JWKS); null to fetch them over HTTPS
     * @param root the directory on this host that its scopes are relative to; null for the exported ones
     * @param users a file with the accounts of this host that read and write for its subjects; null for the server's
     */
    public record TrustedIssuer(
            String url,
            @Nullable Path keys,
            @Nullable String root,
            @Nullable Path users) {
        /** Its name in those of its subjects: the URL without its scheme. */
        String name() {
            String text = url.substring(url.indexOf("://") + 3);
            return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        }
    }

    /** What has become of an issuer when settings were read again. */
    public enum Change {
        ADDED,
        CHANGED,
        WITHDRAWN
    }

    /**
     * Where these settings come from, to be read again when they change.
     *
     * @param read throws what is wrong with the file; may block
     */
    public record Origin(Path file, Supplier<TokenSettings> read) {}

    /** Settings that never change. */
    public TokenSettings(List<TrustedIssuer> issuers, List<String> audiences) {
        this(issuers, audiences, null);
    }

    public TokenSettings {
        issuers = List.copyOf(issuers);
        audiences = List.copyOf(audiences);
    }

    /** For the process of an account, which reads no files of issuers. */
    public byte[] encoded() {
        return new JsonObject()
                .with("audiences", audiences)
                .with(
                        "issuers",
                        JsonObject.list(
                                issuers,
                                issuer ->
                                        new JsonObject().with("url", issuer.url).with("root", issuer.root)))
                .bytes();
    }

    /** Returns what {@link #encoded} has encoded. */
    public static TokenSettings decoded(byte[] encoded) throws IOException {
        try (JsonReader reader = JsonReader.of(encoded, 0)) {
            JsonObject known = Objects.requireNonNull(reader.next());
            return new TokenSettings(
                    known.rows("issuers").stream()
                            .map(issuer -> new TrustedIssuer(
                                    issuer.text("url"), null, issuer.has("root") ? issuer.text("root") : null, null))
                            .toList(),
                    known.texts("audiences"));
        }
    }

    /** Returns by its URL what has become of each issuer about which these settings say something else. */
    public Map<String, Change> changesSince(TokenSettings before) {
        boolean sameAudiences = audiences.equals(before.audiences);
        Map<String, Change> changes = new LinkedHashMap<>();
        before.issuers.forEach(issuer -> changes.put(issuer.url, Change.WITHDRAWN));
        for (TrustedIssuer issuer : issuers) {
            if (sameAudiences && before.issuers.contains(issuer)) {
                changes.remove(issuer.url);
            } else {
                changes.merge(issuer.url, Change.ADDED, (withdrawn, added) -> Change.CHANGED);
            }
        }
        return changes;
    }

    /** The files that a server reads for these settings, now and when they have changed. */
    public List<Path> files() {
        List<Path> files = new ArrayList<>();
        if (origin != null) {
            files.add(origin.file);
        }
        for (TrustedIssuer issuer : issuers) {
            if (issuer.keys() != null) {
                files.add(issuer.keys());
            }
            if (issuer.users() != null) {
                files.add(issuer.users());
            }
        }
        return files;
    }

    /**
     * Returns whether an issuer or its keys may have this URL: over HTTPS, or to this host itself. Anything else could
     * be changed on the way.
     */
    public static boolean isSafe(String url) {
        try {
            URI uri = new URI(url);
            String host = uri.getHost();
            boolean plain = host != null && uri.getFragment() == null && uri.getUserInfo() == null;
            return plain
                    && ("https".equals(uri.getScheme())
                            || ("http".equals(uri.getScheme())
                                    && List.of("127.0.0.1", "[::1]").contains(host)));
        } catch (URISyntaxException malformed) {
            return false;
        }
    }
}
