package io.fdt.cli.server;

import io.fdt.cli.option.ServerOptions;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HostPort;
import io.fdt.core.basic.Version;
import io.fdt.core.host.Caption;
import io.fdt.core.token.TokenSettings;
import io.fdt.core.token.TokenSettings.TrustedIssuer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The options of a server about tokens, as settings of the engine. */
final class Tokens {
    /** An issuer, or all that no other one is for, and what is said about it. */
    private record Named(@Nullable String issuer, String value) {}

    private Tokens() {}

    static TokenSettings of(Settings settings, HostPort listen) {
        List<Named> issuers = settings.all(ServerOptions.ISSUER, Tokens::issuer);
        if (issuers.isEmpty()) {
            return TokenSettings.NONE;
        }
        Map<@Nullable String, String> roots = byIssuer(settings.all(ServerOptions.ISSUER_ROOT, Tokens::root));
        Map<@Nullable String, String> users = byIssuer(settings.all(ServerOptions.ISSUER_USERS, Tokens::users));
        List<TrustedIssuer> trusted = new ArrayList<>();
        for (Named issuer : issuers) {
            String url = String.valueOf(issuer.issuer);
            String table = users.getOrDefault(url, users.get(null));
            trusted.add(new TrustedIssuer(
                    url,
                    issuer.value.isEmpty() ? null : Path.of(issuer.value),
                    roots.getOrDefault(url, roots.get(null)),
                    table == null ? null : Path.of(table)));
        }
        List<String> audiences = settings.all(ServerOptions.AUDIENCE, text -> text);
        return new TokenSettings(trusted, audiences.isEmpty() ? List.copyOf(ownNames(listen)) : audiences);
    }

    private static Map<@Nullable String, String> byIssuer(List<Named> all) {
        Map<@Nullable String, String> byIssuer = new HashMap<>();
        all.forEach(named -> byIssuer.put(named.issuer, named.value));
        return byIssuer;
    }

    private static Set<String> ownNames(HostPort listen) {
        String host = Caption.of(Path.of("/"), null, Version.software()).host();
        Set<String> names = new LinkedHashSet<>();
        names.add(host);
        names.add("fdt://" + host);
        names.add("fdt://" + host + ":" + listen.port());
        return names;
    }

    /** URLs of issuers have no query, and so no equals sign. */
    private static Named issuer(String text) throws BadValueException {
        int equals = text.indexOf('=');
        String url = equals < 0 ? text : text.substring(0, equals);
        if (!TokenSettings.isSafe(url)) {
            throw new BadValueException("an issuer is a URL that begins with https://, as its tokens name it");
        }
        if (equals == text.length() - 1) {
            throw new BadValueException("the file of its keys has no name");
        }
        return new Named(url, equals < 0 ? "" : text.substring(equals + 1));
    }

    private static Named root(String text) throws BadValueException {
        return path(text, "write an absolute directory, or URL=DIR for one issuer");
    }

    private static Named users(String text) throws BadValueException {
        return path(text, "write the absolute path of a file, or URL=FILE for one issuer");
    }

    private static Named path(String text, String form) throws BadValueException {
        int equals = text.startsWith("/") ? -1 : text.indexOf('=');
        String path = text.substring(equals + 1);
        if (!path.startsWith("/")) {
            throw new BadValueException(form);
        }
        return new Named(equals < 0 ? null : text.substring(0, equals), path);
    }
}
