package io.fdt.core.token;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.Right;
import io.fdt.core.basic.Scope;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.AccessKey.Subject;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.KeyLimits;
import io.fdt.core.security.Permission;
import io.fdt.core.token.TokenSettings.TrustedIssuer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The issuers of tokens that a server trusts. A verified token becomes an {@link AccessKey}, so that all that holds for
 * keys holds for tokens: nothing is kept of tokens or subjects here. Thread-safe, except {@link #look}.
 */
public final class Issuers implements AutoCloseable {
    /** For a server that accepts no tokens. */
    public static final Issuers NONE = of(TokenSettings.NONE, warning -> {});

    /** The clocks of issuers and servers differ by so much. */
    static final long SKEW_SECONDS = 60;

    private static final long FETCH_MS = 10_000;
    private static final int ID_BYTES = 16;
    /** Printable ASCII, as names of keys, which are in logs. */
    private static final Pattern SUBJECT = Pattern.compile("[!-~]([ -~]{0,253}[!-~])?");

    /** As the specification has it, and as the Python library writes it. */
    private static final Set<String> SCITOKENS_VERSIONS = Set.of("scitokens:2.0", "scitoken:2.0");

    private static final String GET_ANOTHER = "get a token for this server from an issuer that it trusts";

    /** Null if nothing is read again. */
    private final @Nullable WatchedFile<TokenSettings> origin;

    private final @Nullable OfAccount account;
    private final Supplier<Instant> now;
    private volatile Trust trust = new Trust(TokenSettings.NONE, Map.of());

    /** What is trusted at a time. */
    private record Trust(TokenSettings settings, Map<String, Trusted> byUrl) {}

    /** In the process of an account, which has no keys of issuers, and cannot read their files. */
    private record OfAccount(String user, PassedTokens<Fingerprint> passed) {}

    /** An issuer with its keys, which are in a file or fetched, and the accounts of its subjects. */
    record Trusted(
            TrustedIssuer issuer,
            @Nullable WatchedFile<KeySet> file,
            @Nullable FetchedKeys fetched,
            @Nullable WatchedFile<SubjectUsers> users) {
        void look(Consumer<String> warnings) {
            if (file != null) {
                file.look(warnings);
            }
            if (users != null) {
                users.look(warnings);
            }
        }

        void close() {
            if (fetched != null) {
                fetched.close();
            }
        }

        @Nullable KeySet keys() {
            return file != null ? file.content() : fetched != null ? fetched.known() : null;
        }
    }

    private Issuers(TokenSettings settings, @Nullable OfAccount account, Supplier<Instant> now) {
        TokenSettings.Origin from = settings.origin();
        this.origin = from == null ? null : new WatchedFile<>(from.file(), from.read());
        this.account = account;
        this.now = now;
    }

    /** Begins to fetch the keys that are not in files; reads the others at the first {@link #look}. */
    public static Issuers of(TokenSettings settings, Consumer<String> warnings) {
        return of(settings, warnings, Instant::now);
    }

    static Issuers of(TokenSettings settings, Consumer<String> warnings, Supplier<Instant> now) {
        Issuers made = new Issuers(settings, null, now);
        made.trust(settings, warnings);
        return made;
    }

    /** For the process of an account, which accepts the tokens that the first process {@link #pass passes} on. */
    public static Issuers ofAccount(String user) {
        return new Issuers(TokenSettings.NONE, new OfAccount(user, new PassedTokens<>()), Instant::now);
    }

    /** From now on trusts these issuers; what is known of one that stays as it was is kept. */
    public void trust(TokenSettings settings, Consumer<String> warnings) {
        Map<String, Trusted> before = trust.byUrl;
        Map<String, Trusted> byUrl = new LinkedHashMap<>();
        for (TrustedIssuer issuer : settings.issuers()) {
            Trusted known = before.get(issuer.url());
            byUrl.put(issuer.url(), known != null && known.issuer.equals(issuer) ? known : trusted(issuer, warnings));
        }
        trust = new Trust(settings, byUrl);
        before.values().stream().filter(each -> !byUrl.containsValue(each)).forEach(Trusted::close);
    }

    private Trusted trusted(TrustedIssuer issuer, Consumer<String> warnings) {
        if (account != null) {
            return new Trusted(issuer, null, null, null);
        }
        FetchedKeys fetched = issuer.keys() != null
                ? null
                : new FetchedKeys(issuer.url(), new PublishedKeys(issuer.url(), FETCH_MS), Clock.SYSTEM, warnings);
        Trusted made = new Trusted(issuer, keysIn(issuer), fetched, usersIn(issuer));
        made.look(warnings);
        return made;
    }

    private static @Nullable WatchedFile<KeySet> keysIn(TrustedIssuer issuer) {
        return issuer.keys() == null ? null : WatchedFile.of(issuer.keys(), KeySet::parse);
    }

    private static @Nullable WatchedFile<SubjectUsers> usersIn(TrustedIssuer issuer) {
        return issuer.users() == null ? null : WatchedFile.of(issuer.users(), SubjectUsers::parse);
    }

    /** Throws USAGE for the first file of these settings that cannot be used; fetches nothing. */
    public static void requireUsable(TokenSettings settings) {
        for (TrustedIssuer issuer : settings.issuers()) {
            for (WatchedFile<?> file : Arrays.asList(keysIn(issuer), usersIn(issuer))) {
                if (file != null) {
                    var unused = file.read();
                }
            }
        }
    }

    public boolean isEmpty() {
        return trust.byUrl.isEmpty();
    }

    /** Reads what has changed of the settings; {@link #look} makes it count. For one thread. */
    public void read(Consumer<String> warnings) {
        if (origin != null) {
            origin.look(warnings);
        }
    }

    /** Whether all issuers have disappeared from the settings since the last look. */
    public boolean haveGone() {
        TokenSettings read = origin == null ? null : origin.content();
        return read != null && read.issuers().isEmpty() && !isEmpty();
    }

    /**
     * Trusts from now on what the last {@link #read} has found, and reads what has changed of the files of issuers. For
     * the same thread.
     *
     * @return what is trusted
     */
    @SuppressWarnings("ReferenceEquality") // a record's own comparison would load classes at each start
    public TokenSettings look(Consumer<String> warnings) {
        TokenSettings read = origin == null ? null : origin.content();
        if (read != null && read != trust.settings) {
            trust(read, warnings);
        }
        trust.byUrl.values().forEach(trusted -> trusted.look(warnings));
        return trust.settings;
    }

    /** Has the keys fetched that are not in files. Returns at once. */
    public void fetchNow() {
        trust.byUrl.values().forEach(trusted -> {
            if (trusted.fetched != null) {
                trusted.fetched.fetchNow();
            }
        });
    }

    /** Has this process accept a token that the first process of the server has verified for its account. */
    public void pass(String token) {
        if (account != null) {
            account.passed.add(hash(token));
        }
    }

    /** Whether {@link #verify} can decide about this token; if not, the server's first process can. */
    public boolean decides(String token) {
        return account == null || account.passed.contains(hash(token));
    }

    /**
     * Returns a token as a key. Null if keys are being fetched that may verify it: then the action runs afterwards, on
     * another thread, which it must not block.
     *
     * @param whenFetched null not to wait for that
     * @throws io.fdt.core.failure.TransferException UNKNOWN_KEY and others, with the reason, which never quotes the
     *     token
     */
    public @Nullable AccessKey verify(String token, @Nullable Runnable whenFetched) {
        return verify(token, whenFetched, false);
    }

    /** Likewise for a client that is admitted: if keys were just fetched, waits until they may be fetched again. */
    public @Nullable AccessKey verifyPatiently(String token, Runnable whenFetched) {
        return verify(token, whenFetched, true);
    }

    private @Nullable AccessKey verify(String token, @Nullable Runnable whenFetched, boolean patient) {
        if (isEmpty()) {
            throw Cause.UNKNOWN_KEY.failure("this server accepts no tokens, only keys");
        }
        try {
            SignedToken signed = SignedToken.parse(token);
            if (origin != null && origin.content() == null) {
                throw Cause.UNAVAILABLE
                        .advise("see its log")
                        .failure("the server cannot read now which issuers it trusts");
            }
            Trust known = trust;
            Trusted trusted = known.byUrl.get(signed.text("iss"));
            if (trusted == null) {
                throw new BadTokenException("this server does not trust its issuer");
            }
            if (account != null) {
                if (!decides(token)) {
                    throw new BadTokenException("nobody has verified it");
                }
                return accessOf(signed, trusted, known.settings.audiences());
            }
            KeySet keys = trusted.keys();
            if ((keys == null || !keys.knowsKeyOf(signed))
                    && whenFetched != null
                    && trusted.fetched != null
                    && trusted.fetched.whenFetched(whenFetched, patient)) {
                return null;
            }
            if (keys == null) {
                throw Cause.UNAVAILABLE
                        .advise("see its log")
                        .failure("the server has no keys now of the issuer " + trusted.issuer.url());
            }
            keys.requireSigned(signed);
            return accessOf(signed, trusted, known.settings.audiences());
        } catch (BadTokenException bad) {
            throw Cause.UNKNOWN_KEY
                    .advise(GET_ANOTHER)
                    .failure("the server does not accept the token: " + bad.getMessage());
        }
    }

    private AccessKey accessOf(SignedToken signed, Trusted trusted, List<String> audiences) throws BadTokenException {
        Instant expires = requireNow(signed);
        if (!signed.isAmong("aud", Set.copyOf(audiences))) {
            throw new BadTokenException("it is for another audience; this server is " + String.join(" or ", audiences));
        }
        String name = signed.text("sub");
        if (!SUBJECT.matcher(name).matches()) {
            throw new BadTokenException("its subject is not a name of 1 to 255 characters of ASCII");
        }
        TrustedIssuer issuer = trusted.issuer;
        Subject subject = new Subject(issuer.url(), name, signed.texts("aud"));
        Permission permission = permissionOf(signed, issuer, userOf(name, trusted));
        // Whom nobody else is; nothing has it as its hash that could be a secret.
        Fingerprint verifier = hash("fdt 1 subject\n" + subject.issuer() + "\n" + subject.name());
        return new AccessKey(
                HexFormat.of().formatHex(verifier.bytes(), 0, ID_BYTES),
                name + "@" + issuer.name(),
                verifier,
                permission,
                expires,
                subject);
    }

    /** Returns the account of a subject; null for the server's own. */
    private @Nullable String userOf(String subject, Trusted trusted) throws BadTokenException {
        if (account != null || trusted.users == null) {
            return account == null ? null : account.user;
        }
        SubjectUsers users = trusted.users.content();
        if (users == null) {
            throw Cause.UNAVAILABLE
                    .advise("see its log")
                    .failure("the server cannot read now which accounts the subjects of " + trusted.issuer.url()
                            + " have");
        }
        String user = users.of(subject);
        if (user == null) {
            throw new BadTokenException("no account of its host is for the subject " + subject);
        }
        return user;
    }

    /** Returns when it ends. */
    private Instant requireNow(SignedToken signed) throws BadTokenException {
        long moment = now.get().getEpochSecond();
        Long expires = signed.seconds("exp");
        Long notBefore = signed.seconds("nbf");
        Long issued = signed.seconds("iat");
        if (expires == null) {
            throw new BadTokenException("it does not expire");
        }
        if (moment >= expires + SKEW_SECONDS) {
            throw Cause.TOKEN_EXPIRED.failure("the token expired at " + Instant.ofEpochSecond(expires));
        }
        if ((notBefore != null && notBefore > moment + SKEW_SECONDS)
                || (issued != null && issued > moment + SKEW_SECONDS)) {
            throw new BadTokenException("it is not valid yet; check the clocks of the issuer and of the server");
        }
        return Instant.ofEpochSecond(expires + SKEW_SECONDS);
    }

    private static Permission permissionOf(SignedToken signed, TrustedIssuer issuer, @Nullable String user)
            throws BadTokenException {
        boolean wlcg = signed.has("wlcg.ver");
        if (wlcg ? !signed.text("wlcg.ver").startsWith("1.") : !signed.isAmong("ver", SCITOKENS_VERSIONS)) {
            throw new BadTokenException("it follows neither the WLCG profile 1 (wlcg.ver) nor SciTokens 2.0 (ver)");
        }
        List<Scope> scopes = TokenScopes.parse(signed.text("scope"), wlcg ? TokenScopes.WLCG : TokenScopes.SCITOKENS);
        if (scopes.isEmpty()) {
            throw Cause.NO_RIGHT
                    .advise(GET_ANOTHER)
                    .failure("the token has no scope for files, such as storage.read:/");
        }
        Set<Right> rights = EnumSet.noneOf(Right.class);
        scopes.forEach(scope -> rights.addAll(scope.rights()));
        return new Permission(rights, false, rootsOf(issuer), KeyLimits.NONE, user, scopes);
    }

    private static List<String> rootsOf(TrustedIssuer issuer) {
        return issuer.root() == null ? List.of() : List.of(issuer.root());
    }

    private static Fingerprint hash(String text) {
        try {
            return Fingerprint.ofBytes(
                    MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw Cause.INTERNAL.failure("this Java has no SHA-256", e);
        }
    }

    /** Returns why a token that admitted a client is no longer valid; null if it is valid. */
    public @Nullable Failure objectionTo(AccessKey admitted, Instant moment) {
        Subject subject = admitted.subject();
        Trust known = trust;
        Trusted trusted = subject == null ? null : known.byUrl.get(subject.issuer());
        if (subject == null || trusted == null) {
            return Failure.of(Cause.REVOKED, "this server does not trust the issuer of the token")
                    .advise(GET_ANOTHER);
        }
        if (!rootsOf(trusted.issuer).equals(admitted.permission().roots())
                || subject.audiences().stream().noneMatch(known.settings.audiences()::contains)) {
            return Failure.of(
                            Cause.REVOKED,
                            "what this server accepts of the issuer of the token of " + admitted.name()
                                    + " has changed")
                    .advise(GET_ANOTHER);
        }
        return admitted.isExpired(moment)
                ? Failure.of(Cause.TOKEN_EXPIRED, "the token of " + admitted.name() + " has expired")
                : null;
    }

    @Override
    public void close() {
        trust.byUrl.values().forEach(Trusted::close);
    }
}
