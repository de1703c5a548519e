package io.fdt.system;

import io.fdt.core.transport.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stand-ins for the hosts of the recipes: each host is a directory of this machine. Commands run as they are,
 * except that addresses become loopback addresses, ports become free ports, and absolute paths become paths below the
 * directory of the host. {@code fdt} is the jar under test. {@code sudo} and {@code ssh HOST COMMAND} are stand-ins:
 * the first runs the command, and the second runs it as if on that host.
 */
final class RecipeHosts {
    private static final Pattern SERVER =
            Pattern.compile("(?<=fdt://|[\\s])(192\\.0\\.2\\.7|dtn[23])(?::27321)?(?=[/\\s\"]|$)");
    private static final Pattern LISTEN = Pattern.compile("--listen (?:192\\.0\\.2\\.7|dtn[23])(?::27321)?");
    private static final Pattern DATA = Pattern.compile("(?<=[ =':])/data/");
    private static final Pattern READY = Pattern.compile("fdt server ready on (\\S+)");

    /** A number that depends on the machine, recognized by its unit; of a rate, the prefix depends on it, too. */
    private static final Pattern MEASURED = Pattern.compile(
            "\\d[\\d.]*(?= (?:s|ms|us|%|lanes|writes|values)(?!\\w))|\\d[\\d.]* [KMGT]?(?<rate>bit/s|iB/s)(?!\\w)");

    private final Workplace at;
    private final boolean oneUser;
    private final Map<String, String> environment = new HashMap<>();
    /** Texts of the pages and their replacements on this machine. */
    private final Map<String, String> here = new LinkedHashMap<>();

    /** The addresses of the servers, by their hosts. */
    private final Map<String, String> servers = new HashMap<>();

    /**
     * @param oneUser both hosts share one home of fdt, so that no key has to be transferred
     */
    RecipeHosts(Workplace at, boolean oneUser) {
        this.at = at;
        this.oneUser = oneUser;
        Path tools = at.directory("tools");
        tool(tools, "fdt", "exec " + Workplace.fdtInShell() + " \"$@\"");
        tool(tools, "sudo", "exec \"$@\"");
        tool(
                tools,
                "ssh",
                "case $1 in -*) exec /usr/bin/ssh \"$@\" ;; esac; host=$1; shift; cd " + at.directory()
                        + "/$host; export FDT_HOME=" + at.directory() + (oneUser ? "/home" : "/$host")
                        + "/.fdt; exec bash -c \"$*\"");
        environment.put("PATH", tools + ":" + System.getenv("PATH"));
        environment.put("HOME", at.directory("home").toString());
        environment.put("TMPDIR", at.directory("tmp").toString());
        environment.put("NO_COLOR", "1");
        List.of("dtn1", "dtn2", "dtn3", "fts").forEach(host -> at.directory(host + "/data/incoming"));
    }

    private static void tool(Path tools, String name, String script) {
        try {
            Path file = Files.writeString(tools.resolve(name), "#!/usr/bin/env bash\n" + script + "\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Replaces {@code fdt}, for a host that needs more than a directory. */
    void fdtIs(String script) {
        tool("fdt", script);
    }

    /** Adds a stand-in for a program. */
    void tool(String name, String script) {
        tool(at.directory("tools"), name, script);
    }

    void environment(String name, String value) {
        environment.put(name, value);
    }

    void replace(String there, String text) {
        here.put(there, text);
    }

    /**
     * Returns a path relative to the working directory of a host, or an absolute path below the directory of the host.
     */
    Path path(String host, String path) {
        return at.path(host).resolve(path.startsWith("/") ? path.substring(1) : path);
    }

    /** Runs every step to its end, except for those that keep running. */
    void run(Recipe recipe) {
        recipe.steps().forEach(this::run);
    }

    void run(Recipe.Step step) {
        FdtProcess process = start(step);
        if (step.interrupted()) {
            throw new AssertionError("who interrupts it starts it: " + step.script());
        }
        if (!step.stays()) {
            expect(step, process.await(Workplace.LIMIT));
        }
    }

    /** Starts a step. Returns when the step is ready if it keeps running. */
    FdtProcess start(Recipe.Step step) {
        boolean single = step.stays() || step.interrupted();
        if (single && step.script().contains("\n")) {
            throw new AssertionError("more than one line that stays: " + step.script());
        }
        String script = (single ? "exec " : "") + translated(step.host(), step.script());
        Map<String, String> variables = new HashMap<>(environment);
        variables.put(
                "FDT_HOME",
                (oneUser ? at.path("home") : at.path(step.host()))
                        .resolve(".fdt")
                        .toString());
        FdtProcess process = at.track(FdtProcess.start(new FdtProcess.Setup(
                step.host(), List.of("bash", "-euo", "pipefail", "-c", script), variables, at.directory(step.host()))));
        if (step.stays()) {
            Matcher ready = READY.matcher(process.awaitLine(Workplace.LIMIT, READY.asPredicate()));
            if (ready.find()) {
                servers.put(step.host(), ready.group(1));
            }
            for (String line : step.prints()) {
                Pattern expected = pattern(translated(step.host(), line));
                Await.until(
                        "a line like " + line,
                        Workplace.LIMIT,
                        () -> process.transcript().lines().anyMatch(each -> printed(each, expected)));
            }
        }
        return process;
    }

    /** Whether a line of a transcript was printed by the process and matches. */
    private static boolean printed(String line, Pattern expected) {
        return line.length() > 5 && expected.matcher(line.substring(5)).matches();
    }

    /** Fails unless the step ended as its page states and printed the lines shown there. */
    void expect(Recipe.Step step, Outcome outcome) {
        outcome.expectExit(step.exitCode());
        for (String line : step.prints()) {
            Pattern expected = step.figures() ? firstWord(line) : pattern(translated(step.host(), line));
            if (outcome.out().stream().noneMatch(expected.asMatchPredicate())
                    && outcome.err().stream().noneMatch(expected.asMatchPredicate())) {
                throw new AssertionError("the page shows\n" + line + "\nand nothing like " + expected + " came\n"
                        + outcome.transcript());
            }
        }
    }

    private static Pattern firstWord(String line) {
        return Pattern.compile("\\s*" + Pattern.quote(line.strip().split("\\s+", 2)[0]) + "(\\s.*)?");
    }

    /** Returns a pattern that accepts any number in place of a measured one, and any text in place of an ellipsis. */
    static Pattern pattern(String line) {
        StringBuilder pattern = new StringBuilder();
        for (String part : line.split("(?=…)|(?<=…)", -1)) {
            if (part.equals("…")) {
                pattern.append(".*");
                continue;
            }
            Matcher measured = MEASURED.matcher(part);
            int end = 0;
            while (measured.find()) {
                pattern.append(Pattern.quote(part.substring(end, measured.start())))
                        .append("\\d[\\d.]*");
                if (measured.group("rate") != null) {
                    pattern.append(" [KMGT]?").append(measured.group("rate"));
                }
                end = measured.end();
            }
            pattern.append(Pattern.quote(part.substring(end)));
        }
        return Pattern.compile(pattern.toString());
    }

    private String translated(String host, String text) {
        String translated = text;
        for (Map.Entry<String, String> each : here.entrySet()) {
            translated = translated.replace(each.getKey(), each.getValue());
        }
        translated = LISTEN.matcher(translated).replaceAll("--listen 127.0.0.1:0");
        translated = SERVER.matcher(translated)
                .replaceAll(match -> servers.getOrDefault(
                        match.group(1).startsWith("dtn") ? match.group(1) : "dtn2", "127.0.0.1:27321"));
        return DATA.matcher(translated).replaceAll(Matcher.quoteReplacement(at.path(host) + "/data/"));
    }
}
