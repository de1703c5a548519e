package io.fdt.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.copy.ClientCommand;
import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.server.ServerCommand;
import io.fdt.cli.verify.VerifyCommand;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ArgumentReaderTest {
    private static GivenArguments read(String... args) {
        return ArgumentReader.read(new ClientCommand(), List.of(args));
    }

    static Stream<Arguments> waysToGiveTheLanes() {
        return Stream.of(
                Arguments.of(List.of("--lanes", "4")),
                Arguments.of(List.of("--lanes=4")),
                Arguments.of(List.of("-P", "4")),
                Arguments.of(List.of("-P4")),
                Arguments.of(List.of("-vP4")),
                Arguments.of(List.of("-vP", "4")),
                Arguments.of(List.of("--lanes", "9", "--lanes", "4")));
    }

    @ParameterizedTest
    @MethodSource("waysToGiveTheLanes")
    void readsValueInEveryForm(List<String> args) {
        List<String> texts = ArgumentReader.read(new ClientCommand(), args).texts(ClientOptions.LANES);
        assertThat(texts.get(texts.size() - 1)).isEqualTo("4");
    }

    @Test
    void mixesOptionsAndOperands() {
        GivenArguments given = read("a", "-v", "b", "--json", "c");
        assertThat(given.operands()).containsExactly("a", "b", "c");
        assertThat(given.texts(CommonOptions.VERBOSE)).containsExactly("true");
        assertThat(given.texts(ClientOptions.JSON)).containsExactly("true");
    }

    @Test
    void readsEverythingAfterTwoDashesAsOperand() {
        assertThat(read("--", "-odd", "--json", "--").operands()).containsExactly("-odd", "--json", "--");
    }

    @Test
    void readsSingleDashAsOperand() {
        assertThat(read("-", "fdt://h/x").operands()).containsExactly("-", "fdt://h/x");
    }

    @Test
    void givesASingleDashToAnOptionThatTakesAValue() {
        assertThat(read("--files-from", "-").texts(ClientOptions.FILES_FROM)).containsExactly("-");
    }

    @Test
    void keepsIncludesAndExcludesInTheirOrder() {
        GivenArguments given = read("--exclude", "a", "--include=b", "-v", "--exclude", "c");
        assertThat(given.options().stream().map(one -> one.option().name() + one.text()))
                .containsExactly("--excludea", "--includeb", "--verbosetrue", "--excludec");
    }

    @Test
    void readsJsonValueOnlyAfterEqualsSign() {
        GivenArguments given = read("--json", "files", "--json=files");
        assertThat(given.texts(ClientOptions.JSON)).containsExactly("true", "files");
        assertThat(given.operands()).containsExactly("files");
    }

    @Test
    void noPrefixTurnsSwitchOff() {
        assertThat(read("--resume", "--no-resume").texts(ClientOptions.RESUME)).containsExactly("true", "false");
    }

    @Test
    void doesNotExpandArgumentsThatStartWithAnAt() {
        assertThat(read("@list", "${HOME}").operands()).containsExactly("@list", "${HOME}");
    }

    static Stream<Arguments> badArguments() {
        return Stream.of(
                Arguments.of(List.of("--lane", "4"), "unknown option '--lane'; did you mean '--lanes'?"),
                Arguments.of(List.of("--lane=4"), "unknown option '--lane'; did you mean '--lanes'?"),
                Arguments.of(List.of("--frobnicate"), "unknown option '--frobnicate'; see fdt client --help"),
                Arguments.of(List.of("-Y"), "unknown option '-Y'; see fdt client --help"),
                Arguments.of(List.of("-vY"), "unknown option '-Y'; see fdt client --help"),
                Arguments.of(List.of("-lanes"), "unknown option '-lanes'; did you mean '--lanes'?"),
                Arguments.of(List.of("--no-help"), "unknown option '--no-help'; see fdt client --help"),
                Arguments.of(List.of("--lanes"), "--lanes needs a value: --lanes N"),
                Arguments.of(List.of("--lanes", "--json"), "--lanes needs a value: --lanes N"),
                Arguments.of(List.of("--receipt", "--no-resume"), "--receipt needs a value: --receipt FILE"),
                Arguments.of(List.of("--receipt", "-v"), "--receipt needs a value: --receipt FILE"),
                Arguments.of(List.of("--receipt", "--", "a"), "--receipt needs a value: --receipt FILE"),
                Arguments.of(List.of("--resume=maybe"), "--resume takes no value; write --resume or --no-resume"),
                Arguments.of(List.of("--\u001b[31m"), "unknown option '--\\x1B[31m'; see fdt client --help"));
    }

    @ParameterizedTest
    @MethodSource("badArguments")
    void refusesBadArgumentsWithOneLineRemedy(List<String> args, String message) {
        assertThatThrownBy(() -> ArgumentReader.read(new ClientCommand(), args))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.USAGE))
                .hasMessage(message);
    }

    @Test
    void refusesValueForSwitch() {
        assertThatThrownBy(() -> ArgumentReader.read(new VerifyCommand(), List.of("--device=x")))
                .hasMessage("--device takes no value; write --device or --no-device");
    }

    @Test
    void whatFollowsReadingHappensOnceAndNotForHelpOrMistakes() {
        ServerCommand command = new ServerCommand();
        List<String> happened = new ArrayList<>();
        command.afterReading(() -> happened.add("once"));

        ArgumentReader.read(command, List.of("--help"));
        assertThatThrownBy(() -> ArgumentReader.read(command, List.of("--misspelled")))
                .isInstanceOf(TransferException.class);
        assertThat(happened).isEmpty();
        ArgumentReader.read(command, List.of());
        ArgumentReader.read(command, List.of());
        assertThat(happened).containsExactly("once");
    }

    @Test
    void refusesOperandsOfCommandWithoutOperands() {
        assertThatThrownBy(() -> ArgumentReader.read(new ServerCommand(), List.of("x")))
                .hasMessage("unexpected argument 'x'; use --root DIR");
    }
}
