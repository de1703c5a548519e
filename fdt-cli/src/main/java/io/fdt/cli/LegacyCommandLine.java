package io.fdt.cli;

import io.fdt.cli.value.Location;
import io.fdt.cli.value.Nearest;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Translates a command line of legacy FDT, {@code -c host -d /dir files…}. Options with the same meaning are
 * translated, options that are always on today are left out, and options without a counterpart are refused by name,
 * because a script must not assume that they took effect.
 */
final class LegacyCommandLine {
    private static final String DEFAULT_PORT = "54321";
    private static final Pattern REMOTE = Pattern.compile("[^@/:]+@([^@/:]+|\\[[0-9A-Fa-f:.]+\\]):(.*)");
    private static final Pattern WITH_PORT = Pattern.compile("([^:\\[\\]]+|\\[[0-9A-Fa-f:.%]+\\]):([0-9]+)");
    private static final String REMAP = " / ";
    private static final String ZEROS = "/dev/zero";
    private static final String NULL = "/dev/null";
    /** The source /dev/zero now requires one of these options. They are accepted on a legacy command line as well. */
    private static final Set<String> ENDS = Set.of("--size", "--duration");

    private static final String ENDLESS = "365d";

    private static final Set<LegacyOption> WITHOUT_EFFECT = EnumSet.range(LegacyOption.NO_DELAY, LegacyOption.NO_LOCKS);

    /** Options that apply only to a server, and below those that apply only to a copy. */
    private static final Set<LegacyOption> OF_SERVERS =
            EnumSet.of(LegacyOption.ONCE, LegacyOption.ALLOW, LegacyOption.LISTEN);

    private static final Set<LegacyOption> OF_CLIENTS = EnumSet.of(
            LegacyOption.DIRECTORY,
            LegacyOption.STREAMS,
            LegacyOption.LIST,
            LegacyOption.PULL,
            LegacyOption.RECURSIVE,
            LegacyOption.LIMIT,
            LegacyOption.WRITE_MODE);

    /** The options that determine what a copy moves, and how fast. */
    private static final Set<LegacyOption> OF_COPIES =
            EnumSet.of(LegacyOption.LIST, LegacyOption.PULL, LegacyOption.LIMIT, LegacyOption.WRITE_MODE);

    private final Map<LegacyOption, List<String>> given = new EnumMap<>(LegacyOption.class);
    private final List<String> files = new ArrayList<>();
    private final List<String> ends = new ArrayList<>();
    private final List<String> words = new ArrayList<>();

    private LegacyCommandLine(List<String> args) {
        boolean onlyFiles = false;
        for (int at = 0; at < args.size(); at++) {
            String word = args.get(at);
            LegacyOption option = onlyFiles ? null : LegacyOption.of(word);
            if (option == null) {
                if (!onlyFiles && word.equals("--")) {
                    onlyFiles = true;
                } else if (!onlyFiles && ENDS.contains(word) && at + 1 < args.size()) {
                    ends.addAll(List.of(word, args.get(++at)));
                } else if (!onlyFiles && word.startsWith("-") && word.length() > 1) {
                    throw Cause.USAGE.failure(
                            "legacy FDT's " + visible(word) + " has no equivalent; leave it out, or see fdt --help");
                } else {
                    files.add(word);
                }
                continue;
            }
            String value = "";
            int equals = word.indexOf('=');
            if (equals >= 0) {
                value = word.substring(equals + 1);
            } else if (option.hasValue()) {
                at++;
                if (at >= args.size()) {
                    throw Cause.USAGE.failure(option.written() + " needs a value");
                }
                value = args.get(at);
            }
            given.computeIfAbsent(option, first -> new ArrayList<>()).add(value);
        }
    }

    /** Whether a command line starts as only those of legacy FDT do. */
    static boolean isLegacy(List<String> args) {
        if (args.isEmpty() || args.get(0).equals("-v")) {
            return false;
        }
        String first = args.get(0);
        boolean likeScp = args.size() > 1
                && !first.startsWith("-")
                && Commands.named(first) == null
                && Nearest.hint(first, longNames()).isEmpty()
                && (!Commands.isOfOtherTools(first) || Location.isLocalFile(first))
                && args.stream().anyMatch(word -> REMOTE.matcher(word).matches());
        return likeScp || LegacyOption.of(first) != null;
    }

    /** Any word of one letter is near to a command of two. */
    private static List<String> longNames() {
        return Commands.names().stream().filter(name -> name.length() > 2).toList();
    }

    /** What users should know about a line besides its translation. */
    static List<String> notes(List<String> args) {
        LegacyCommandLine line = new LegacyCommandLine(args);
        List<String> notes = new ArrayList<>();
        String ignored = WITHOUT_EFFECT.stream()
                .filter(line::has)
                .map(LegacyOption::written)
                .collect(Collectors.joining(", "));
        if (!ignored.isEmpty()) {
            notes.add("without effect on the result and left out: " + ignored);
        }
        if (line.isEndless()) {
            notes.add("/dev/zero has no end: add --duration TIME or --size SIZE, or end the copy with Ctrl-C");
        }
        return notes;
    }

    private boolean isEndless() {
        return files.contains(ZEROS) && ends.isEmpty();
    }

    /** The current form of a line, the command first; throws USAGE for what has no counterpart. */
    static List<String> translate(List<String> args) {
        LegacyCommandLine line = new LegacyCommandLine(args);
        if (line.has(LegacyOption.CLIENT)) {
            if (line.has(LegacyOption.LS)) {
                line.list();
            } else if (line.has(LegacyOption.NETTEST)) {
                line.nettest();
            } else {
                line.copy();
            }
        } else if (line.files.isEmpty()) {
            line.server();
        } else {
            line.copyBySsh();
        }
        return List.copyOf(line.words);
    }

    /** As a user would type it. */
    static String written(List<String> words) {
        StringBuilder text = new StringBuilder("fdt");
        for (String word : words) {
            text.append(' ').append(word.matches("[A-Za-z0-9_@%+=:,./\\[\\]-]+") ? word : quoted(word));
        }
        return text.toString();
    }

    private static String quoted(String word) {
        return "'" + visible(word).replace("'", "'\\''") + "'";
    }

    private static String visible(String text) {
        StringBuilder visible = new StringBuilder();
        text.codePoints().forEach(c -> visible.appendCodePoint(Character.isISOControl(c) ? '?' : c));
        return visible.toString();
    }

    private boolean has(LegacyOption option) {
        return given.containsKey(option);
    }

    /** Returns the last given value, as legacy FDT does. */
    private @Nullable String value(LegacyOption option) {
        List<String> values = given.get(option);
        return values == null ? null : values.get(values.size() - 1);
    }

    private void server() {
        refuse(OF_CLIENTS, "applies to a client; add -c HOST");
        refuseEnds("a server");
        words.add("server");
        String listen = value(LegacyOption.LISTEN);
        add("--listen", bracketed(listen == null ? "0.0.0.0" : listen) + ":" + port());
        // Paths of legacy clients start at the root of the file system. Clients now need a key.
        add("--root", "/");
        if (has(LegacyOption.ONCE)) {
            words.add("--once");
        }
        for (String networks : given.getOrDefault(LegacyOption.ALLOW, List.of())) {
            for (String network : networks.split(":", -1)) {
                add("--allow", network);
            }
        }
        common();
    }

    private void refuseFiles(String beside) {
        if (!files.isEmpty()) {
            throw Cause.USAGE.failure(visible(files.get(0)) + " does not apply to " + beside + "; leave it out");
        }
    }

    private void refuseEnds(String beside) {
        if (!ends.isEmpty()) {
            throw Cause.USAGE.failure(ends.get(0) + " does not apply to " + beside + "; leave it out");
        }
    }

    private void nettest() {
        refuse(OF_SERVERS, "applies to a server; leave out -c");
        refuse(OF_COPIES, "does not apply to -nettest; leave it out");
        refuseFiles("-nettest");
        words.addAll(List.of("nettest", "throughput"));
        words.addAll(ends);
        value(LegacyOption.STREAMS, "--lanes");
        value(LegacyOption.BUFFER, "--block");
        common();
        words.add(bracketed(host()) + ":" + port());
    }

    private void list() {
        refuse(OF_SERVERS, "applies to a server; leave out -c");
        refuseFiles("-ls");
        refuseEnds("-ls");
        words.add("ls");
        if (has(LegacyOption.RECURSIVE)) {
            words.add("--recursive");
        }
        words.add("fdt://" + bracketed(host()) + ":" + port() + rooted(String.valueOf(value(LegacyOption.LS))));
    }

    private void copy() {
        refuse(EnumSet.of(LegacyOption.ALLOW, LegacyOption.LISTEN), "applies to a server; leave out -c");
        String directory = value(LegacyOption.DIRECTORY);
        if (directory == null) {
            throw Cause.USAGE.failure("-c needs -d DIR, the directory for the files");
        }
        List<String> sources = sources();
        words.add("client");
        copyOptions();
        words.add("--");
        String server = "fdt://" + bracketed(host()) + ":" + port();
        if (has(LegacyOption.PULL)) {
            sources.forEach(source -> words.add(server + rooted(source)));
            words.add(asDirectory(directory));
        } else {
            words.addAll(sources);
            words.add(server + asDirectory(rooted(directory)));
        }
    }

    /** Translates the scp form: {@code FILE… USER@HOST:DIR}, or the reverse. */
    private void copyBySsh() {
        refuse(OF_SERVERS, "applies to a server, which takes no list of files");
        refuse(EnumSet.of(LegacyOption.DIRECTORY, LegacyOption.PULL), "applies to -c HOST; leave it out");
        if (files.size() < 2 && !has(LegacyOption.LIST)) {
            throw Cause.USAGE.failure("neither -c HOST nor a target in the form USER@HOST:DIR");
        }
        words.add("client");
        copyOptions();
        words.add("--");
        List<String> operands = new ArrayList<>(files);
        operands.addAll(Math.max(0, files.size() - 1), listed());
        boolean between =
                operands.stream().allMatch(file -> REMOTE.matcher(file).matches());
        operands.forEach(file -> words.add(between ? atServer(file) : file));
    }

    /** If both sides are remote, ssh starts nothing: servers run there, as with legacy FDT. */
    private String atServer(String remote) {
        Matcher parts = REMOTE.matcher(remote);
        if (!parts.matches() || !parts.group(2).startsWith("/")) {
            throw Cause.USAGE.failure(
                    "in a copy between two remote hosts, paths begin with a slash: " + visible(remote));
        }
        return "fdt://" + parts.group(1) + ":" + port() + parts.group(2);
    }

    private List<String> sources() {
        List<String> sources = new ArrayList<>(files);
        sources.addAll(listed());
        if (sources.isEmpty()) {
            throw Cause.USAGE.failure("nothing to copy: name files after the options, or give -fl LIST");
        }
        return sources;
    }

    /** Returns the files in the list of {@code -fl}; empty without that option. */
    private List<String> listed() {
        String list = value(LegacyOption.LIST);
        List<String> listed = new ArrayList<>();
        if (list == null) {
            return listed;
        }
        try {
            for (String line : Files.readAllLines(Location.local(list), StandardCharsets.UTF_8)) {
                if (line.contains(REMAP)) {
                    throw Cause.USAGE.failure(
                            "-fl with new names, as in 'source / target', has no equivalent: " + visible(line));
                }
                if (!line.isBlank()) {
                    listed.add(line.strip());
                }
            }
            return listed;
        } catch (IOException e) {
            throw Cause.USAGE.failure("-fl " + visible(list) + ": cannot be read: " + TransferException.reason(e));
        }
    }

    private void copyOptions() {
        words.addAll(ends);
        if (isEndless()) {
            add("--duration", ENDLESS);
        }
        value(LegacyOption.STREAMS, "--lanes");
        String limit = value(LegacyOption.LIMIT);
        if (limit != null) {
            add("--rate-limit", limit.matches("[0-9]+[KkMmGg]") ? limit.toUpperCase(Locale.ROOT) + "iB/s" : limit);
        }
        String mode = value(LegacyOption.WRITE_MODE);
        if (mode != null) {
            add("--durable", durable(mode));
        }
        common();
    }

    private static String durable(String writeMode) {
        return switch (writeMode) {
            case "nosync" -> "none";
            case "sync", "dsync" -> "chunk";
            default ->
                throw Cause.USAGE.failure("-writeMode " + visible(writeMode) + " has no equivalent; see --durable");
        };
    }

    private void common() {
        value(LegacyOption.SOCKET_BUFFER, "--socket-buffer");
        String apmon = value(LegacyOption.APMON);
        if (apmon != null) {
            for (String receiver : apmon.split(",", -1)) {
                add("--push", "apmon://" + receiver);
            }
        }
        if (has(LegacyOption.SILENT)) {
            words.add("--quiet");
        }
        if (has(LegacyOption.VERBOSE) || has(LegacyOption.MORE_VERBOSE) || has(LegacyOption.MAX_VERBOSE)) {
            words.add("--verbose");
        }
    }

    private void value(LegacyOption option, String today) {
        String value = value(option);
        if (value != null) {
            add(today, value);
        }
    }

    private void add(String option, String value) {
        words.add(option);
        words.add(value);
    }

    private void refuse(Set<LegacyOption> options, String why) {
        for (LegacyOption option : options) {
            if (has(option)) {
                throw Cause.USAGE.failure(option.written() + " " + why);
            }
        }
    }

    private String host() {
        String host = value(LegacyOption.CLIENT);
        if (host == null || host.isEmpty()) {
            throw Cause.USAGE.failure("-c needs a HOST");
        }
        Matcher withPort = WITH_PORT.matcher(host);
        return withPort.matches() ? withPort.group(1) : host;
    }

    private String port() {
        String port = value(LegacyOption.PORT);
        Matcher withPort = WITH_PORT.matcher(String.valueOf(value(LegacyOption.CLIENT)));
        if (!withPort.matches()) {
            return port == null ? DEFAULT_PORT : port;
        }
        if (port != null && !port.equals(withPort.group(2))) {
            throw Cause.USAGE.failure(
                    "-c " + visible(withPort.group()) + " and -p " + visible(port) + " name two ports; leave one out");
        }
        return withPort.group(2);
    }

    private static String bracketed(String host) {
        return host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
    }

    private static String rooted(String path) {
        return path.startsWith("/") ? path : "/" + path;
    }

    private static String asDirectory(String path) {
        return path.endsWith("/") || path.equals(NULL) ? path : path + "/";
    }
}
