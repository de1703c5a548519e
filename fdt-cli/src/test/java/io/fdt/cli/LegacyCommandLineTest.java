package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LegacyCommandLineTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-c dtn2 -d /data f g | fdt client -- f g fdt://dtn2:54321/data/",
                "-c dtn2 -p 4000 -P 8 -ss 4M -bs 1M -r -md5 -d data dir"
                        + " | fdt client --lanes 8 --socket-buffer 4M -- dir fdt://dtn2:4000/data/",
                "-c dtn2 -pull -d /here /there/f g | fdt client -- fdt://dtn2:54321/there/f fdt://dtn2:54321/g /here/",
                "-c ::1 -d / f | fdt client -- f fdt://[::1]:54321/",
                "-c h -limit 5m -d /d f | fdt client --rate-limit 5MiB/s -- f fdt://h:54321/d/",
                "-c h -writeMode nosync -noupdates -d /d f | fdt client --durable none -- f fdt://h:54321/d/",
                "-c h -d /d -- -odd | fdt client -- -odd fdt://h:54321/d/",
                "-c=h -d=/d f | fdt client -- f fdt://h:54321/d/",
                "-c h -enable_apmon=a:1,b:2 -d /d f"
                        + " | fdt client --push apmon://a:1 --push apmon://b:2 -- f fdt://h:54321/d/",
                "-c h -nettest -P 16 -bs 256K | fdt nettest throughput --lanes 16 --block 256K h:54321",
                "-c h -nettest --duration 5s | fdt nettest throughput --duration 5s h:54321",
                "-P 4 f ann@h:/d | fdt client --lanes 4 -- f ann@h:/d",
                "-P 4 ann@a:/f bob@b:/d/ | fdt client --lanes 4 -- fdt://a:54321/f fdt://b:54321/d/",
                "f ann@h:/d | fdt client -- f ann@h:/d",
                "ann@h:/f . | fdt client -- ann@h:/f .",
                "-c h:4000 -d /d f | fdt client -- f fdt://h:4000/d/",
                "-c h:4000 -p 4000 -d /d f | fdt client -- f fdt://h:4000/d/",
                "-c [::1]:4000 -d /d f | fdt client -- f fdt://[::1]:4000/d/",
                "-c h -ls /data | fdt ls fdt://h:54321/data",
                "-c h -p 4000 -r -ls data/x | fdt ls --recursive fdt://h:4000/data/x",
                "-c h -N -lfs -iof 3 -ka 60 -rCount 4 -wCount 2 -printStats -d /d f | fdt client -- f fdt://h:54321/d/",
                "-N -c h -d /d f | fdt client -- f fdt://h:54321/d/",
                "-c h -d /dev/null /dev/zero | fdt client --duration 365d -- /dev/zero fdt://h:54321/dev/null",
                "-c h -P 4 -d /dev/null --size 10G /dev/zero"
                        + " | fdt client --size 10G --lanes 4 -- /dev/zero fdt://h:54321/dev/null",
                "-c h -pull -d /dev/null --duration 5s /dev/zero"
                        + " | fdt client --duration 5s -- fdt://h:54321/dev/zero /dev/null",
                "-p 54321 | fdt server --listen 0.0.0.0:54321 --root /",
                "-S -FDT_LISTEN 192.0.2.1 -f 10.0.0.0/8:192.0.2.7"
                        + " | fdt server --listen 192.0.2.1:54321 --root / --once --allow 10.0.0.0/8 --allow 192.0.2.7",
            })
    void saysTheSameInTodaysWords(String legacy, String today) {
        List<String> args = List.of(legacy.split(" "));
        assertThat(LegacyCommandLine.isLegacy(args)).isTrue();
        assertThat(LegacyCommandLine.written(LegacyCommandLine.translate(args))).isEqualTo(today);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-c h:4000 -p 4001 -d /d f | name two ports",
                "-c h -d /d -preFilters x f | -preFilters",
                "-c h -d /d -agent f | -agent",
                "-c h f | -d DIR",
                "-c h -d /d | nothing to copy",
                "-c h -d | needs a value",
                "-c h -d /d -f 10.0.0.1 f | applies to a server",
                "-p 4000 -d /x | applies to a client",
                "-c h -d /d -writeMode odd f | -writeMode odd",
                "-r f | neither -c HOST",
                "-c h -nettest -limit 5M | -limit does not apply to -nettest",
                "-c h -nettest -pull | -pull does not apply to -nettest",
                "-c h -nettest f | f does not apply to -nettest",
                "-c h -ls /d --size 5G | --size does not apply to -ls",
                "-p 4000 --duration 5s | --duration does not apply to a server",
                "-pull ann@h:/f . | -pull applies to -c HOST",
                "-r -d /x f ann@h:/d | -d applies to -c HOST",
                "-r ann@a:f bob@b:/d | paths begin with a slash: ann@a:f",
            })
    void refusesByNameWhatHasNoCounterpart(String legacy, String why) {
        assertThatThrownBy(() -> LegacyCommandLine.translate(List.of(legacy.split(" "))))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.USAGE))
                .hasMessageContaining(why);
    }

    @Test
    void notesDroppedOptionsAndEndlessSources() {
        assertThat(LegacyCommandLine.notes(List.of("-c", "h", "-rCount", "4", "-N", "-d", "/d", "f")))
                .containsExactly("without effect on the result and left out: -N, -rCount");
        assertThat(LegacyCommandLine.notes(List.of("-c", "h", "-d", "/dev/null", "/dev/zero")))
                .singleElement()
                .asString()
                .contains("/dev/zero has no end");
        assertThat(LegacyCommandLine.notes(List.of("-c", "h", "-d", "/dev/null", "--size", "1", "/dev/zero")))
                .isEmpty();
        CommandRun run = new CommandRun();
        assertThat(run.run("-c", "h", "-printStats", "-d", "/d", "f")).isZero();
        assertThat(run.errLines())
                .contains(
                        "fdt: this is a legacy command line; the current form is: fdt client -- f fdt://h:54321/d/",
                        "fdt: without effect on the result and left out: -printStats");
    }

    @Test
    void takesTheFilesOfAList() throws IOException {
        Path list = Files.writeString(directory.resolve("list"), "/a/one\n\n/b/two words\n");
        assertThat(LegacyCommandLine.translate(List.of("-c", "h", "-d", "/d", "-fl", list.toString())))
                .containsExactly("client", "--", "/a/one", "/b/two words", "fdt://h:54321/d/");
    }

    @Test
    void takesTheFilesOfAListOverSshToo() throws IOException {
        Path list = Files.writeString(directory.resolve("list"), "/a/one\n/b/two\n");
        assertThat(LegacyCommandLine.translate(List.of("-fl", list.toString(), "f", "ann@h:/d")))
                .containsExactly("client", "--", "f", "/a/one", "/b/two", "ann@h:/d");
        assertThat(LegacyCommandLine.translate(List.of("-fl", list.toString(), "ann@h:/d")))
                .containsExactly("client", "--", "/a/one", "/b/two", "ann@h:/d");
    }

    @Test
    void refusesAListWhoseNameJavaCannotOpen() {
        assertThatThrownBy(() -> LegacyCommandLine.translate(List.of("-c", "h", "-d", "/d", "-fl", "a\0b")))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("Java cannot open 'a");
    }

    @Test
    void aListWithNewNamesIsRefused() throws IOException {
        Path list = Files.writeString(directory.resolve("list"), "/a/one / /b/other\n");
        assertThatThrownBy(() -> LegacyCommandLine.translate(List.of("-c", "h", "-d", "/d", "-fl", list.toString())))
                .hasMessageContaining("-fl with new names");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-v", "-V", "-h", "--help", "client", "-x", "--lanes"})
    void doesNotChangeCommandLinesOfThisVersion(String first) {
        assertThat(LegacyCommandLine.isLegacy(List.of(first, "-c", "h"))).isFalse();
    }

    @Test
    void mistypedCommandIsNotLegacy() {
        assertThat(LegacyCommandLine.isLegacy(List.of("rsync", "f", "ann@h:/d")))
                .isFalse();
        assertThat(LegacyCommandLine.isLegacy(List.of("clint", "f", "ann@h:/d")))
                .isFalse();
    }

    @Test
    void quotesForTheShell() {
        assertThat(LegacyCommandLine.written(List.of("client", "it's", "a b", "\u001b[31m")))
                .isEqualTo("fdt client 'it'\\''s' 'a b' '?[31m'");
    }
}
