package io.fdt.cli.key;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.console.Console;
import io.fdt.cli.key.KeyRing.CreatedKey;
import io.fdt.cli.key.KeyRing.KnownKey;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.GivenOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Section;
import io.fdt.cli.option.Settings;
import io.fdt.cli.run.PlainRun;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.Nearest;
import io.fdt.cli.value.Rates;
import io.fdt.cli.value.Sizes;
import io.fdt.cli.value.Times;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Right;
import io.fdt.core.basic.Word;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.HostAccount;
import io.fdt.core.security.KeyLimits;
import io.fdt.core.security.Permission;
import io.fdt.core.security.ServerAccess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code key}: manages the keys that admit clients here, and the imported keys that admit this user elsewhere. No
 * secret ever appears on a command line.
 */
public final class KeyCommand extends Command {
    private static final Section KEYS = new Section("Keys", false);
    private static final List<String> ACTIONS = List.of("show", "create", "import", "list", "revoke", "forget");
    private static final String HEADINGS =
            String.join("\t", "ROLE", "NAME", "ID", "ACCOUNT", "EXPIRES", "LAST USE", "PERMITS");
    /** A key that nobody used for so long should probably be revoked. */
    private static final long UNUSED_DAYS = 90;

    private static final int MAX_LINE_BYTES = 4 << 10;

    static final Option SERVER = KEYS.value(
            "--server HOST[:PORT]", "for import: use the key only for this server (default: for every server)");
    static final Option ROOT = KEYS.list(
            "--root DIR",
            "for create: limit the key to this directory and everything below it (default: everything" + " exported)");
    static final Option ALLOW = KEYS.list(
            "--allow RIGHT[,RIGHT…]",
            "for create: list (names, sizes), read (contents), append (new names only), write (also new contents of"
                    + " what exists), delete (remove, rename) (default: all)");
    static final Option APPEND_ONLY = KEYS.toggle(
            "--append-only",
            "for create: clients add new names and change nothing; short for --allow list,read,append");
    static final Option OWNERS = KEYS.toggle(
            "--owners", "for create: clients can preserve owners, setuid and setgid if the server runs as root");
    static final Option USER = KEYS.value(
            "--user NAME",
            "for create: a server running as root reads and writes for the key as this local user, with its groups"
                    + " (default: as the server's own user)");
    static final Option EXPIRES = KEYS.value(
            "--expires TIME",
            "never",
            "for create: how long the key is valid, such as 12h or 30d, or a date such as 2030-12-31 (UTC)");

    static final Option RATE_LIMIT =
            KEYS.value("--rate-limit RATE", Rates.NONE, "for create: maximum rate of all its copies together");
    static final Option MAX_BYTES = KEYS.value("--max-bytes SIZE", "none", "for create: maximum data per transfer");
    static final Option MAX_SESSIONS =
            KEYS.value("--max-sessions N", "10", "for create: maximum concurrent sessions, or none");
    static final Option REPLACE =
            KEYS.toggle("--replace", "for create: replace an existing key of that name; the old key stops working");
    private static final List<Option> OF_CREATE =
            List.of(ROOT, ALLOW, APPEND_ONLY, OWNERS, USER, EXPIRES, RATE_LIMIT, MAX_BYTES, MAX_SESSIONS, REPLACE);

    public KeyCommand() {
        super(
                "key",
                "show, create, import, list, revoke and forget keys",
                "show|create|import|list|revoke|forget [NAME|ID|FILE|-]");
    }

    @Override
    protected Help help() {
        return Help.of(Option.together(
                        KEYS.options(), List.of(GivenOptions.JSON, GivenOptions.VERBOSE, CommonOptions.HELP)))
                .words(ACTIONS)
                .keyBehind("revoke")
                .takesPaths(true)
                .usesHome(true)
                .about("""
                        A client of the same user on the same machine needs no key. Any other client needs one. A key is
                        one line: create prints it on the server, once, and import reads it from a file or standard
                        input on the client. It contains a secret, so keep it out of command lines, mails and logs. The
                        server stores what checks the secret, and not the secret; only that of the key default is in
                        $FDT_HOME, for the clients of this user and for show.

                        list shows the keys that admit clients here, with the time at which a client has proven each
                        last, and the imported ones with their id and server. revoke ends what a key here permits;
                        forget removes an imported one.

                        A server notices new and revoked keys within a second. It ends the sessions of a key that is
                        revoked or expires.""")
                .example("key show", "print the key default, which admits a client of another machine")
                .example(
                        "key create guest --root /srv/data/guest --allow list,read --expires 30d",
                        "create a key that can read one directory for a month, and print it")
                .example(
                        "key create backup --append-only --root /srv/data/backup",
                        "create a key that can add files and never change or remove one")
                .example("key create ann --user ann", "create a key whose files belong to the account ann")
                .example(
                        "key create alice --rate-limit 5Gbit --max-bytes 10T --max-sessions 4",
                        "create a key with limits of its own")
                .example(
                        "key create dtn1 --replace | ssh dtn1 fdt key import --server dtn2",
                        "send a key to dtn1; with --replace it can be repeated")
                .example("key import --server dtn2 line.txt", "use that key for the server dtn2")
                .example("key list", "list all keys, without secrets")
                .example("key revoke guest", "admit nobody with this key any more")
                .example("key forget dtn2", "stop using the key imported for dtn2");
    }

    @Override
    public int run(List<String> args, Context context) {
        return PlainRun.run(this, args, context, (given, settings, json) -> {
            act(given, settings, json, context);
            return 0;
        });
    }

    private static void act(GivenArguments given, Settings settings, boolean json, Context context) {
        List<String> operands = given.operands();
        String action = operands.isEmpty() ? "" : operands.get(0);
        String operand = operands.size() < 2 ? null : operands.get(1);
        HostPort server = settings.find(SERVER, HostPort::parse);
        if (server != null && !action.equals("import")) {
            throw UserText.refusal("--server applies only to key import; leave it out");
        }
        if (!action.equals("create")) {
            given.refuse(OF_CREATE, " applies only to key create; leave it out");
        }
        switch (action) {
            case "create" -> {
                requireOperands(operands, 1, 1, "key create NAME");
                create(String.valueOf(operand), settings, json, context);
            }
            case "show" -> {
                if (operand != null) {
                    throw UserText.refusal("key show prints only the key default; the line of any other key is printed"
                            + " once, by fdt key create NAME [--replace], and its secret is not stored");
                }
                print(KeyRing.of(context).line(), json, context.console());
            }
            case "import" -> {
                requireOperands(operands, 0, 1, "key import [FILE|-]");
                // Without a port it stays so, because the line then applies to every port of the host.
                String name = settings.find(SERVER, text -> text);
                print(KeyRing.of(context).keep(givenLine(operand, context), name), json, context.console());
            }
            case "list" -> {
                requireOperands(operands, 0, 0, "key list");
                List<KnownKey> keys = KeyRing.of(context).list();
                if (!json) {
                    context.console().data(HEADINGS);
                }
                for (KnownKey key : keys) {
                    print(key, json, context.console());
                }
            }
            case "revoke" -> {
                requireOperands(operands, 1, 1, "key revoke NAME");
                revoke(String.valueOf(operand), KeyRing.of(context), context.console());
            }
            case "forget" -> {
                requireOperands(operands, 1, 1, "key forget ID");
                forget(String.valueOf(operand), KeyRing.of(context));
            }
            case "" -> throw UserText.refusal("no action; use one of " + String.join(", ", ACTIONS));
            default -> throw Nearest.unknown("action", action, ACTIONS);
        }
    }

    /** Prints the key's line on standard output, and what it permits as a message. */
    private static void create(String name, Settings settings, boolean json, Context context) {
        List<String> roots = settings.all(ROOT, KeyCommand::existingDirectory);
        Instant expires = settings.get(EXPIRES, KeyCommand::expiry).orElse(null);
        KeyRing keys = KeyRing.of(context);
        KeyLimits limits = new KeyLimits(
                settings.get(RATE_LIMIT, Rates::parse),
                settings.get(MAX_BYTES, Sizes::parseLimit),
                settings.get(MAX_SESSIONS, KeyCommand::sessions));
        String user = settings.find(USER, KeyCommand::account);
        if (user != null && settings.on(OWNERS)) {
            throw UserText.refusal("--owners needs root, and --user gives it up; leave one out");
        }
        Permission permission = new Permission(rights(settings), settings.on(OWNERS), roots, limits, user);
        CreatedKey made = keys.create(name, permission, expires, settings.on(REPLACE));
        if (json) {
            print(made.key(), true, context.console());
        } else {
            context.console()
                    .message("fdt: key " + UserText.visible(name) + ": "
                            + made.key().note());
        }
        print(made.line(), json, context.console());
    }

    private static String account(String text) throws BadValueException {
        try {
            if (HostAccount.named(text).isRoot()) {
                throw new BadValueException("is root, as which the server works anyway; leave the option out");
            }
            return text;
        } catch (TransferException unknown) {
            throw new BadValueException(String.valueOf(unknown.getMessage()));
        }
    }

    private static Set<Right> rights(Settings settings) {
        if (settings.on(APPEND_ONLY)) {
            settings.given().refuse(List.of(ALLOW), " and --append-only both choose rights; leave one out");
            return EnumSet.of(Right.LIST, Right.READ, Right.APPEND);
        }
        Set<Right> rights = EnumSet.noneOf(Right.class);
        settings.all(ALLOW, KeyCommand::rightsIn).forEach(rights::addAll);
        return rights.isEmpty() ? EnumSet.allOf(Right.class) : rights;
    }

    private static List<Right> rightsIn(String text) throws BadValueException {
        List<String> known = Stream.of(Right.values()).map(Word::of).toList();
        List<Right> rights = new ArrayList<>();
        for (String word : text.split(",", -1)) {
            rights.add(Right.valueOf(Words.among(known).parse(word).toUpperCase(Locale.ROOT)));
        }
        return rights;
    }

    /** A directory that is not there is more often a wrong name than one that will be created. */
    private static String existingDirectory(String text) throws BadValueException {
        String path = directory(text);
        if (!Files.isDirectory(Path.of(path))) {
            throw new BadValueException("is not a directory on this host; create it first, or correct the path");
        }
        return path;
    }

    /**
     * Returns the absolute path of the directory, as the server will resolve it; without links if the directory exists.
     */
    public static String directory(String text) throws BadValueException {
        try {
            Path path = Path.of(text);
            if (text.isEmpty() || text.startsWith(Location.SCHEME)) {
                throw new BadValueException("not a local directory; write for example /srv/data");
            }
            return Files.exists(path)
                    ? path.toRealPath().toString()
                    : path.toAbsolutePath().normalize().toString();
        } catch (InvalidPathException | IOException e) {
            throw new BadValueException("cannot be used: " + e.getMessage());
        }
    }

    private static int sessions(String text) throws BadValueException {
        return (int) Math.min(Integer.MAX_VALUE, Words.countLimit(text));
    }

    public static Optional<Instant> expiry(String text) throws BadValueException {
        if (text.equals("never")) {
            return Optional.empty();
        }
        Instant date = Times.date(text);
        if (date != null) {
            if (!date.isAfter(Instant.now())) {
                throw new BadValueException("is in the past; write for example 12h or 30d");
            }
            return Optional.of(date);
        }
        long nanos = Times.parseNanos(text);
        if (nanos == 0) {
            throw new BadValueException("must be longer than zero; write for example 12h or 30d");
        }
        return Optional.of(Instant.now().plusNanos(nanos).truncatedTo(ChronoUnit.SECONDS));
    }

    /**
     * Returns the line in the file or on standard input; without an operand, the line in the environment if there is
     * one.
     */
    private static String givenLine(@Nullable String operand, Context context) {
        String environment = context.environment().get(ServerAccess.ENVIRONMENT);
        if (operand == null && environment != null && !environment.isBlank()) {
            return environment;
        }
        return lineIn(operand == null ? "-" : operand, context);
    }

    private static void revoke(String name, KeyRing keys, Console console) {
        boolean had = keys.hasDefault();
        if (!keys.revoke(name)) {
            throw unknown(name, "an imported key is removed by fdt key forget");
        }
        if (had && !keys.hasDefault()) {
            console.warning("clients of this user on this host used the key default and are refused now; fdt key create"
                    + " default --replace makes a new one");
        }
    }

    private static void forget(String name, KeyRing keys) {
        if (!keys.forget(name)) {
            throw unknown(name, "a key that admits clients here is removed by fdt key revoke");
        }
    }

    private static TransferException unknown(String name, String other) {
        return UserText.refusal(
                "there is no key " + UserText.quoted(name) + "; fdt key list shows them all, and " + other);
    }

    private static void requireOperands(List<String> operands, int min, int max, String form) {
        int count = operands.size() - 1;
        if (count < min || count > max) {
            throw UserText.refusal((count < min ? "a name is missing" : "too many arguments") + "; write fdt " + form);
        }
    }

    /** Returns the line in the file, or on standard input for {@code -}. */
    private static String lineIn(String file, Context context) {
        boolean standardInput = file.equals("-");
        String shown = standardInput ? "standard input" : UserText.visible(file);
        try {
            if (standardInput) {
                return firstLine(context.standardInput(), shown);
            }
            try (InputStream in = Files.newInputStream(Path.of(file))) {
                return firstLine(in, shown);
            }
        } catch (NoSuchFileException e) {
            throw UserText.refusal("no file " + UserText.quoted(shown)
                    + "; key import reads a FILE or standard input, because a secret must not be on a command line");
        } catch (IOException e) {
            throw TransferException.causeOfReading(e)
                    .failure("cannot read " + shown + ": " + TransferException.reason(e), e);
        } catch (InvalidPathException e) {
            throw UserText.refusal("Java cannot open " + shown + " in this locale; redirect it to standard input");
        }
    }

    private static String firstLine(InputStream in, String shown) throws IOException {
        String text = new String(in.readNBytes(MAX_LINE_BYTES), StandardCharsets.UTF_8);
        // A pipe from a command that failed is empty.
        return text.strip()
                .lines()
                .findFirst()
                .orElseThrow(() -> UserText.refusal(
                        "no key in " + shown + "; key import reads the line that fdt key create prints"));
    }

    private static void print(String line, boolean json, Console console) {
        if (json) {
            console.data(new JsonObject().with("line", line).line("key_line"));
        } else {
            console.data(line);
        }
    }

    private static void print(KnownKey key, boolean json, Console console) {
        String role = Word.of(key.role());
        if (json) {
            JsonObject line = new JsonObject()
                    .with("role", role)
                    .with("name", key.name())
                    .with("id", key.id())
                    .with("note", key.note());
            addPermission(line, key);
            console.data(line.line("key"));
        } else {
            Permission permission = key.permission();
            console.data(String.join(
                    "\t",
                    role,
                    UserText.visible(key.name()),
                    key.id() == null ? "-" : key.id(),
                    permission == null || permission.user() == null ? "-" : UserText.visible(permission.user()),
                    expiry(key),
                    use(key, Instant.now()),
                    permission == null ? key.note() : KeyRing.permits(permission, "")));
        }
    }

    private static String expiry(KnownKey key) {
        Instant expires = key.expires();
        if (expires == null) {
            return key.permission() == null ? "-" : "never";
        }
        return (expires.isAfter(Instant.now()) ? "" : "expired ") + expires;
    }

    private static String use(KnownKey key, Instant now) {
        Instant last = key.lastUse();
        if (last == null) {
            return key.permission() == null ? "-" : "never";
        }
        long days = last.until(now, ChronoUnit.DAYS);
        String time = last.truncatedTo(ChronoUnit.SECONDS).toString();
        return days < UNUSED_DAYS ? time : time + ", unused for " + days + " days";
    }

    /** What the note says, for programs. Limits that there are not are null. */
    private static void addPermission(JsonObject line, KnownKey key) {
        Permission permission = key.permission();
        if (permission == null) {
            return;
        }
        Instant expires = key.expires();
        Instant last = key.lastUse();
        KeyLimits limits = permission.limits();
        KeyLimits none = KeyLimits.NONE;
        line.with("rights", permission.rights().stream().map(Word::of).toList())
                .with("owners", permission.owners())
                .with("user", permission.user())
                .with("roots", permission.roots())
                .with("rate_limit_bits_per_second", limited(limits.rateBitsPerSecond(), none.rateBitsPerSecond()))
                .with("max_bytes", limited(limits.bytes(), none.bytes()))
                .with("max_sessions", limited(limits.sessions(), none.sessions()))
                .with("expires", expires == null ? null : expires.toString())
                .with("last_use", last == null ? null : last.toString());
    }

    private static @Nullable Long limited(long value, long none) {
        return value == none ? null : value;
    }
}
