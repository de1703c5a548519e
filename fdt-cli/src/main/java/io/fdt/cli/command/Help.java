package io.fdt.cli.command;

import io.fdt.cli.command.Command.Example;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.OtherTools;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The options of a command, and the text about them in help, manual pages and completion. Not modified once built. */
public final class Help {
    final List<Option> options;
    final List<Example> examples = new ArrayList<>();
    List<Option> common;
    List<String> words = List.of();
    String about = "";
    String foreign = "";

    @Nullable String wordBeforeKey;

    @Nullable Boolean takesPaths;

    @Nullable Boolean usesHome;

    private Help(List<Option> options) {
        this.options = options;
        this.common = options;
    }

    public static Help of(List<Option> options) {
        return new Help(options);
    }

    /** Sets the options that most users need and that fit on a screen. The default is all options. */
    public Help common(List<Option> few) {
        common = few;
        return this;
    }

    /** Sets the operands that are fixed words, for completion. By default, operands are paths or there are none. */
    public Help words(List<String> fixed) {
        words = fixed;
        return this;
    }

    /** Sets the fixed word behind which the operand is the name of a key. */
    public Help keyBehind(String word) {
        wordBeforeKey = word;
        return this;
    }

    /** Sets whether operands are paths on this host. By default, they are unless the command has fixed words. */
    public Help takesPaths(boolean does) {
        takesPaths = does;
        return this;
    }

    /** Sets whether the command uses the home. By default, a command with settings does. */
    public Help usesHome(boolean does) {
        usesHome = does;
        return this;
    }

    /** Sets the table of options of other tools that users of this command try; see {@link OtherTools}. */
    public Help foreign(String table) {
        foreign = table;
        return this;
    }

    /** Sets the text that a reader needs before the options: a few paragraphs separated by empty lines. */
    public Help about(String text) {
        about = text;
        return this;
    }

    /** Adds an example command line, without {@code fdt}, and its purpose. */
    public Help example(String line, String purpose) {
        examples.add(new Example(line, purpose));
        return this;
    }
}
