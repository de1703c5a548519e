package io.fdt.core.token;

import io.fdt.core.basic.Right;
import io.fdt.core.basic.Scope;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The scopes of a token, as what it permits at which paths. */
final class TokenScopes {
    /** More paths than any job needs, and few enough to look through for each request. */
    private static final int MAX_SCOPES = 256;

    private static final Set<Right> LOOKS = EnumSet.of(Right.LIST);
    private static final Set<Right> READS = EnumSet.of(Right.LIST, Right.READ);
    private static final Set<Right> CREATES = EnumSet.of(Right.LIST, Right.APPEND);
    private static final Set<Right> CHANGES = EnumSet.of(Right.LIST, Right.APPEND, Right.WRITE, Right.DELETE);

    /** Those of the WLCG profile; others, such as that to stage files from tape, permit nothing here. */
    static final Map<String, Set<Right>> WLCG =
            Map.of("storage.stat", LOOKS, "storage.read", READS, "storage.create", CREATES, "storage.modify", CHANGES);

    static final Map<String, Set<Right>> SCITOKENS = Map.of("read", READS, "write", CHANGES);

    private TokenScopes() {}

    /**
     * Returns what scopes separated by blanks permit; each path with what those above it permit as well.
     *
     * @throws BadTokenException if a path is not written as one that leads where it seems to
     */
    static List<Scope> parse(String text, Map<String, Set<Right>> known) throws BadTokenException {
        Map<String, Set<Right>> byPath = new TreeMap<>();
        for (String scope : text.split(" ", -1)) {
            int colon = scope.indexOf(':');
            Set<Right> rights = colon < 0 ? null : known.get(scope.substring(0, colon));
            if (rights != null) {
                byPath.computeIfAbsent(pathOf(scope, scope.substring(colon + 1)), path -> EnumSet.noneOf(Right.class))
                        .addAll(rights);
            }
        }
        if (byPath.size() > MAX_SCOPES) {
            throw new BadTokenException("it has more than " + MAX_SCOPES + " scopes");
        }
        List<Scope> scopes = new ArrayList<>();
        byPath.forEach((path, own) -> {
            Set<Right> all = EnumSet.copyOf(own);
            byPath.forEach((upper, rights) -> {
                if (isAbove(upper, path)) {
                    all.addAll(rights);
                }
            });
            scopes.add(new Scope(path, all));
        });
        return scopes;
    }

    private static boolean isAbove(String upper, String path) {
        return upper.equals("/") || path.startsWith(upper + "/");
    }

    private static String pathOf(String scope, String encoded) throws BadTokenException {
        String path = decoded(scope, encoded);
        if (path.equals("/")) {
            return path;
        }
        String within = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        if (!within.startsWith("/")) {
            throw bad(scope);
        }
        for (String component : within.substring(1).split("/", -1)) {
            if (component.isEmpty()
                    || component.equals(".")
                    || component.equals("..")
                    || component.chars().anyMatch(Character::isISOControl)) {
                throw bad(scope);
            }
        }
        return within;
    }

    /** Decodes percent signs once; an encoded slash would be another path to other programs. */
    private static String decoded(String scope, String encoded) throws BadTokenException {
        byte[] bytes = encoded.getBytes(StandardCharsets.UTF_8);
        ByteBuffer out = ByteBuffer.allocate(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != '%') {
                out.put(bytes[i]);
                continue;
            }
            int high = i + 2 < bytes.length ? Character.digit(bytes[i + 1], 16) : -1;
            int low = i + 2 < bytes.length ? Character.digit(bytes[i + 2], 16) : -1;
            byte value = (byte) (high * 16 + low);
            if (high < 0 || low < 0 || value == '/') {
                throw bad(scope);
            }
            out.put(value);
            i += 2;
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(out.flip()).toString();
        } catch (CharacterCodingException notText) {
            throw bad(scope);
        }
    }

    private static BadTokenException bad(String scope) {
        return new BadTokenException("the path of its scope " + scope
                + " is not absolute and normalized, for example storage.read:/data/run7");
    }
}
