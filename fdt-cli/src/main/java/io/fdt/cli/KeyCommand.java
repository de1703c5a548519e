package io.fdt.cli;

import io.fdt.cli.KeyRing.KnownKey;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code key}: what admits clients here, and this user elsewhere. No secret ever stands on a command line. */
final class KeyCommand implements Command {
    private static final List<String> ACTIONS = List.of("show", "import", "list", "revoke");
    private static final int MAX_LINE_BYTES = 4 << 10;

    static final Option SERVER = Option.value(
                    "--server", "HOST[:PORT]", null, "for import: use the line for this server, else for every server")
            .commandLineOnly()
            .in("Keys");
    static final Option JSON = Option.toggle("--json", false, "one JSON object a line on stdout")
            .commandLineOnly()
            .in(CommonOptions.OUTPUT);

    static final Option VERBOSE = CommonOptions.VERBOSE.commandLineOnly();

    @Override
    public String name() {
        return "key";
    }

    @Override
    public String summary() {
        return "show, import, list and revoke keys";
    }

    @Override
    public String operands() {
        return "show [NAME] | import [FILE|-] | list | revoke NAME";
    }

    @Override
    public List<String> operandWords() {
        return ACTIONS;
    }

    @Override
    public List<String> about() {
        return List.of(
                "A client of the same user on the same machine needs no key. For another machine one line is carried"
                        + " over: show prints it on the server's side, import takes it from a file or standard input on the client's."
                        + " It holds a secret, so keep it out of command lines, mails and logs. Keys live in $FDT_HOME.");
    }

    @Override
    public List<Option> options() {
        return List.of(SERVER, JSON, VERBOSE, CommonOptions.HELP);
    }

    @Override
    public List<Example> examples() {
        return List.of(
                new Example("key show", "the line that lets another machine's client in"),
                new Example("key import --server dtn2 line.txt", "use that line for the server dtn2"),
                new Example("key list", "names of all keys, no secrets"),
                new Example("key revoke dtn2", "use or admit this key no more"));
    }

    @Override
    public int run(List<String> args, Context context) {
        boolean verbose = false;
        boolean json = JsonMode.asked(args, Map.of()) != JsonMode.OFF;
        try {
            GivenArguments given = ArgumentReader.read(this, args);
            if (given.has(CommonOptions.HELP)) {
                context.console().data(HelpText.of(this, context.environment()));
                return 0;
            }
            Settings settings = new Settings(name(), given, Map.of(), ConfigFile.NONE);
            verbose = settings.on(VERBOSE);
            json = settings.on(JSON);
            act(given.operands(), settings, json, context);
            return 0;
        } catch (RuntimeException e) {
            return new FailureReport(context.console(), json, verbose).print(e);
        }
    }

    private static void act(List<String> operands, Settings settings, boolean json, Context context) {
        String action = operands.isEmpty() ? "" : operands.get(0);
        String operand = operands.size() < 2 ? null : operands.get(1);
        HostPort server = settings.find(SERVER, HostPort::parse);
        if (server != null && !action.equals("import")) {
            throw UserText.refusal("--server belongs to key import; leave it out");
        }
        switch (action) {
            case "show" -> {
                requireOperands(operands, 0, 1, "key show [NAME]");
                print(context.keys().get().line(operand), json, context.console());
            }
            case "import" -> {
                requireOperands(operands, 0, 1, "key import [FILE|-]");
                String name = settings.find(SERVER, KeyCommand::asWritten);
                print(
                        context.keys().get().keep(lineIn(operand == null ? "-" : operand, context), name),
                        json,
                        context.console());
            }
            case "list" -> {
                requireOperands(operands, 0, 0, "key list");
                for (KnownKey key : context.keys().get().list()) {
                    print(key, json, context.console());
                }
            }
            case "revoke" -> {
                requireOperands(operands, 1, 1, "key revoke NAME");
                revoke(String.valueOf(operand), context.keys().get());
            }
            case "" -> throw UserText.refusal("no action; one of " + String.join(", ", ACTIONS));
            default ->
                throw UserText.refusal("unknown action " + UserText.quoted(action) + "; one of "
                        + String.join(", ", ACTIONS) + Nearest.hint(action, ACTIONS));
        }
    }

    private static void revoke(String name, KeyRing keys) {
        if (!keys.revoke(name)) {
            throw UserText.refusal("no key is named " + UserText.quoted(name) + "; fdt key list names them");
        }
    }

    /** Without a port the line counts for every port of the host. */
    private static String asWritten(String text) {
        return text;
    }

    private static void requireOperands(List<String> operands, int min, int max, String form) {
        int count = operands.size() - 1;
        if (count < min || count > max) {
            throw UserText.refusal((count < min ? "a name is missing" : "too many arguments") + "; write fdt " + form);
        }
    }

    /** The line in the file, or for {@code -} on standard input. */
    private static String lineIn(String file, Context context) {
        boolean standardInput = file.equals("-");
        String shown = standardInput ? "standard input" : UserText.visible(file);
        try {
            if (standardInput) {
                return firstLine(context.standardInput());
            }
            try (InputStream in = Files.newInputStream(Path.of(file))) {
                return firstLine(in);
            }
        } catch (NoSuchFileException e) {
            throw UserText.refusal("no file " + UserText.quoted(shown)
                    + "; key import takes a FILE or standard input, for a secret has no place on a command line");
        } catch (IOException e) {
            throw new TransferException(FailureKind.SOURCE, "cannot read " + shown + ": " + e.getMessage(), e);
        } catch (InvalidPathException e) {
            throw UserText.refusal("Java cannot open " + shown + " in this locale; redirect it to standard input");
        }
    }

    private static String firstLine(InputStream in) throws IOException {
        String text = new String(in.readNBytes(MAX_LINE_BYTES), StandardCharsets.UTF_8);
        return text.strip().lines().findFirst().orElse("");
    }

    private static void print(String line, boolean json, Console console) {
        if (json) {
            console.data(JsonLine.of("key_line", out -> out.text("line", line)));
        } else {
            console.data(line);
        }
    }

    private static void print(KnownKey key, boolean json, Console console) {
        String role = key.role().name().toLowerCase(Locale.ROOT);
        if (json) {
            console.data(JsonLine.of("key", out -> {
                out.text("role", role);
                out.text("name", key.name());
                out.text("id", key.id());
                out.text("note", key.note());
            }));
        } else {
            String id = key.id() == null ? "-" : key.id();
            console.data((role + "\t" + UserText.visible(key.name()) + "\t" + id + "\t" + key.note()).stripTrailing());
        }
    }
}
