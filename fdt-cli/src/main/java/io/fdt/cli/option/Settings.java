package io.fdt.cli.option;

import io.fdt.cli.option.ConfigFile.Line;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.ValueParser;
import io.fdt.cli.value.Words;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.Home;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of one command's options: command line before environment before config file before default. All texts use
 * the same parser, and an invalid one is refused with the place it came from.
 *
 * @param given the command line only: elsewhere an option that makes no sense here may be meant for other commands
 * @param onlyGiven options that are read from the command line only
 */
public record Settings(
        String command,
        GivenArguments given,
        Map<String, String> environment,
        ConfigFile config,
        List<Option> onlyGiven) {
    /** The command line alone, and defaults. */
    public static Settings ofCommandLine(String command, GivenArguments given) {
        return new Settings(command, given, Map.of(), ConfigFile.NONE, List.of());
    }

    /** Reads what the command line does not set from the environment and its config file. */
    public static Settings of(String command, GivenArguments given, Map<String, String> environment) {
        ConfigFile config = ConfigFile.read(file(environment), Settings::configNames);
        Map<String, String> own = ofFdt(environment);
        Variables.requireKnown(own);
        return new Settings(command, given, own, config, List.of());
    }

    /** Returns the config file, which may not exist. */
    public static Path file(Map<String, String> environment) {
        return Home.directory(environment).resolve("config");
    }

    private static Map<String, String> ofFdt(Map<String, String> environment) {
        Map<String, String> own = new HashMap<>();
        environment.forEach((name, value) -> {
            if (name.startsWith(Option.VARIABLE)) {
                own.put(name, value);
            }
        });
        return own;
    }

    /** Returns a copy in which these options come only from the command line or their defaults. */
    public Settings onlyGiven(List<Option> options) {
        return new Settings(command, given, environment, config, options);
    }

    /** Returns the options that variables and the config file can set, by command. */
    static Map<String, List<Option>> tables() {
        Map<String, List<Option>> tables = new LinkedHashMap<>();
        tables.put("client", ClientOptions.ALL);
        tables.put("server", ServerOptions.ALL);
        tables.put("verify", VerifyOptions.ALL);
        tables.put("ls", ListOptions.ALL);
        tables.put("clean", CleanOptions.ALL);
        tables.put("cat", FileOptions.OF_CAT);
        tables.put("sum", FileOptions.OF_SUM);
        for (String command : List.of("stat", "mkdir", "mv", "rm", "df")) {
            tables.put(command, FileOptions.OF_ALL);
        }
        tables.put("batch", BatchOptions.ALL);
        tables.put("jobs", JobsOptions.ALL);
        tables.put("nettest", NettestOptions.ALL);
        tables.put("monitor", MonitorCommandOptions.ALL);
        return tables;
    }

    /** Returns the names in the config file, each with an option that it sets. */
    static Map<String, Option> configNames() {
        Map<String, Option> names = new LinkedHashMap<>();
        tables().forEach((command, options) -> {
            for (Option option : options) {
                if (option.setting()) {
                    names.merge(option.settingName(), option, (one, other) -> one.isRepeatable() ? one : other);
                    names.put(command + "." + option.settingName(), option);
                }
            }
        });
        return names;
    }

    /** Returns the value; the option must have a default. */
    public <T> T get(Option option, ValueParser<T> parser) {
        T value = find(option, parser);
        if (value == null) {
            throw new IllegalStateException(option.name() + " has no default");
        }
        return value;
    }

    /** Returns the value; null if it is not set and has no default. */
    public <T> @Nullable T find(Option option, ValueParser<T> parser) {
        List<Text> texts = texts(option);
        return texts.isEmpty() ? null : parse(texts.get(texts.size() - 1), parser);
    }

    /** Returns a file on this host; null if it is not set and has no default. */
    public @Nullable Path file(Option option) {
        return texts(option).isEmpty() ? null : find(option, Words::file);
    }

    /** Returns all values of an option that can be repeated. */
    public <T> List<T> all(Option option, ValueParser<T> parser) {
        List<T> values = new ArrayList<>();
        for (Text text : texts(option)) {
            values.add(parse(text, parser));
        }
        return values;
    }

    public boolean on(Option option) {
        return get(option, Words::bool);
    }

    /** Returns the value as the enum constant that corresponds to the option's word. */
    public <E extends Enum<E>> E choice(Option option, Class<E> type) {
        String word = word(option);
        return Enum.valueOf(type, word.replace('-', '_').toUpperCase(Locale.ROOT));
    }

    public String word(Option option) {
        return get(option, Words.among(option.value().words()));
    }

    private <T> T parse(Text text, ValueParser<T> parser) {
        try {
            return parser.parse(text.value());
        } catch (BadValueException e) {
            throw refusal(text, e);
        }
    }

    private static TransferException refusal(Text text, BadValueException e) {
        return UserText.refusal(
                text.before() + text.name() + text.after() + UserText.quoted(text.value()) + ": " + e.expected());
    }

    /** Whether the option is set nowhere, so that its default applies. */
    public boolean isPreset(Option option) {
        return written(option).isEmpty();
    }

    /** Returns the texts from the first source that has any. */
    private List<Text> texts(Option option) {
        List<Text> texts = written(option);
        if (texts.isEmpty() && option.value().preset() != null) {
            texts.add(new Text(option.value().preset(), "default of ", option.name(), " "));
        }
        return texts;
    }

    private List<Text> written(Option option) {
        List<Text> texts = new ArrayList<>();
        for (String text : given.texts(option)) {
            texts.add(new Text(text, "", option.name(), " "));
        }
        if (texts.isEmpty() && option.setting() && !onlyGiven.contains(option)) {
            if (hasVariable(option.variableLength() + command.length() + 1)) {
                addVariable(texts, option.variable(command));
            }
            if (texts.isEmpty() && hasVariable(option.variableLength())) {
                addVariable(texts, option.variable());
            }
            if (texts.isEmpty() && !config.lines().isEmpty()) {
                addLines(texts, command + "." + option.settingName());
            }
            if (texts.isEmpty() && !config.lines().isEmpty()) {
                addLines(texts, option.settingName());
            }
        }
        return texts;
    }

    /** Hardly any variable is set, and to make the names of all took a good part of a short command. */
    private boolean hasVariable(int lengthChars) {
        for (String name : environment.keySet()) {
            if (name.length() == lengthChars) {
                return true;
            }
        }
        return false;
    }

    private void addVariable(List<Text> texts, String variable) {
        String value = environment.get(variable);
        // Shells leave a variable empty to unset it.
        if (value != null && !value.isEmpty()) {
            texts.add(new Text(value, "", variable, "="));
        }
    }

    private void addLines(List<Text> texts, String name) {
        for (Line line : config.lines()) {
            if (line.name().equals(name)) {
                texts.add(new Text(line.value(), config.shownName() + " line " + line.number() + ": ", name, " = "));
            }
        }
    }

    /**
     * The text of a value, and its origin in three parts, which only messages join: each command has dozens of options.
     */
    private record Text(String value, String before, String name, String after) {}
}
