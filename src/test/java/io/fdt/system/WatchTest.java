package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code client --watch} with real processes that write, and signals. */
@Order(4)
final class WatchTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private Path source;
    private Path target;
    private FdtServer server;

    @BeforeEach
    void startServer() {
        source = at.directory("daq");
        server = at.serverThatComesBack();
        target = server.root();
    }

    private FdtProcess watch(Object... options) {
        return at.track(FdtProcess.start(watching(options)));
    }

    private FdtProcess.Setup watching(Object... options) {
        List<Object> words = new ArrayList<>(List.of("client", "--json=files", "--watch"));
        words.addAll(List.of(options));
        words.addAll(List.of(source + "/", server.url("/in")));
        return at.setup("client", words.toArray());
    }

    private Path copied(String name) {
        return target.resolve("in").resolve(name);
    }

    private void awaitCopyOf(FdtProcess client, String name) {
        Await.until(name + " is copied", Workplace.LIMIT, () -> Files.exists(copied(name)) || !client.isAlive());
        assertThat(copied(name)).exists();
    }

    private void write(String name, String content) throws IOException {
        Files.createDirectories(source.resolve(name).getParent());
        Files.writeString(source.resolve(name), content);
    }

    /** A process that has written half of a file, and writes the rest when its standard input ends. */
    private FdtProcess writer(String name) {
        String script = "exec 7>\"$1\"; echo one >&7; echo opened; read -r; echo two >&7; exec 7>&-";
        List<String> command =
                List.of("bash", "-c", script, "bash", source.resolve(name).toString());
        FdtProcess writing = at.track(FdtProcess.start(
                new FdtProcess.Setup("writer", command, Map.of(), at.directory()), Redirect.PIPE, Redirect.PIPE));
        writing.awaitLine(Workplace.LIMIT, "opened"::equals);
        return writing;
    }

    private Outcome stop(FdtProcess client) {
        client.signal("TERM");
        return client.await(Workplace.LIMIT);
    }

    @Test
    void copiesFilesThatAnotherProcessWritesWhenItHasClosedThem() throws IOException {
        FdtProcess early = writer("early");
        write("complete", "1");
        FdtProcess client = watch();
        awaitCopyOf(client, "complete");
        FdtProcess late = writer("late");
        // Its files have been there before anything can watch it, and no process closes them again.
        Path made = at.directory("made/sub");
        Files.writeString(made.resolve("moved"), "2");
        Files.move(made.getParent(), source.resolve("new"));
        awaitCopyOf(client, "new/sub/moved");
        write("new/sub/later", "3");
        awaitCopyOf(client, "new/sub/later");
        Files.writeString(at.path("elsewhere"), "4");
        Files.move(at.path("elsewhere"), source.resolve("renamed"));
        awaitCopyOf(client, "renamed");
        assertThat(copied("early")).doesNotExist();
        assertThat(copied("late")).doesNotExist();
        for (FdtProcess writing : List.of(early, late)) {
            writing.stdin().write("go\n".getBytes(StandardCharsets.UTF_8));
            writing.stdin().flush();
            writing.await(Workplace.LIMIT).expectExit(0);
        }
        awaitCopyOf(client, "early");
        awaitCopyOf(client, "late");
        assertThat(copied("early")).hasContent("one\ntwo\n");

        Outcome outcome = stop(client).expectExit(0);
        assertThat(outcome.number("files")).isEqualTo(6);
        assertThat(outcome.jsonOfType("round")).isNotEmpty();
        assertThat(outcome.jsonOfType("file")).hasSize(6);
        // Without the times of directories, which go on changing.
        Shell.ok("diff", "-r", source, target.resolve("in"));
    }

    @Test
    void goesOnAfterAKillWithoutCopyingAgain() throws IOException {
        write("before", "1");
        FdtProcess killed = watch();
        awaitCopyOf(killed, "before");
        killed.killHard();
        write("meanwhile", "2");
        FdtProcess again = watch();
        awaitCopyOf(again, "meanwhile");
        Outcome outcome = stop(again).expectExit(0);
        assertThat(outcome.number("files")).isEqualTo(2);
        assertThat(outcome.number("files_skipped")).isEqualTo(1);
    }

    @Test
    void removesWhatIsCopiedAndLeavesOutWhatIsExcluded() throws IOException {
        write("run1/a", "1");
        write("run1/a.tmp", "2");
        write("tmp/b", "3");
        FdtProcess client = watch("--remove-source", "--exclude", "*.tmp", "--exclude", "tmp/");
        Path moved = source.resolve("run1/a");
        Await.until("the source is removed", Workplace.LIMIT, () -> !Files.exists(moved) || !client.isAlive());
        assertThat(copied("run1/a")).hasContent("1");
        stop(client).expectExit(0);
        assertThat(source.resolve("run1/a.tmp")).exists();
        assertThat(source.resolve("tmp/b")).exists();
        assertThat(copied("tmp")).doesNotExist();
    }

    @Test
    void removesWhatWasCopiedBeforeTheServerWasKilled() throws IOException {
        write("a", "1");
        Files.write(source.resolve("large"), new byte[12 << 20]);
        FdtProcess client = watch("--remove-source", "--timeout", "15s", "--rate-limit", "1MB/s");
        awaitCopyOf(client, "a");
        server.process().killHard();
        assertThat(source.resolve("a")).exists();
        assertThat(source.resolve("large")).exists();
        client.awaitErrorLine(Workplace.LIMIT, line -> line.contains("attempt 2 failed"));
        server = at.rootlessServer("127.0.0.1:" + server.port(), target, "--root", target);
        Path large = source.resolve("large");
        Await.until("the large file is removed", Workplace.LIMIT, () -> !Files.exists(large) || !client.isAlive());
        Path small = source.resolve("a");
        Await.until("the small file is removed", Workplace.LIMIT, () -> !Files.exists(small) || !client.isAlive());
        stop(client).expectExit(0);
        assertThat(source).isEmptyDirectory();
        assertThat(copied("a")).hasContent("1");
        assertThat(copied("large")).hasSize(12 << 20);
    }

    @Test
    void refusesATargetInsideTheDirectory() throws IOException {
        write("a", "1");
        at.copy("--watch", source + "/", source.resolve("out")).expectExit(2);
        assertThat(source.resolve("out")).doesNotExist();
    }

    @Test
    void waitsForItsServer() throws IOException {
        write("first", "1");
        FdtProcess client = watch("--timeout", "15s");
        awaitCopyOf(client, "first");
        server.process().killHard();
        write("second", "2");
        client.awaitErrorLine(Workplace.LIMIT, line -> line.contains("attempt 2 failed"));
        server = at.rootlessServer("127.0.0.1:" + server.port(), target, "--root", target);
        awaitCopyOf(client, "second");
        Outcome outcome = stop(client).expectExit(0);
        assertThat(outcome.number("files")).isEqualTo(2);
        assertThat(outcome.jsonOfType("retry")).hasSizeGreaterThan(1);
    }

    @Test
    void aSignalEndsTheWaitForAServer() throws IOException {
        server.process().killHard();
        write("only", "1");
        FdtProcess client = watch();
        client.awaitErrorLine(Workplace.LIMIT, line -> line.contains("attempt 2 failed"));
        stop(client).expectExit(8);
    }

    @Test
    void aFileThatFailsIsReportedOnceTriedAgainAndFailsTheCommand() throws IOException {
        Files.createDirectories(copied("bad/occupied"));
        write("bad", "1");
        write("good", "2");
        FdtProcess client = watch();
        client.awaitErrorLine(Workplace.LIMIT, line -> line.contains("bad: ") && line.contains("fdt will retry"));
        awaitCopyOf(client, "good");
        write("better", "3");
        awaitCopyOf(client, "better");
        Outcome failed = stop(client).expectExit(3);
        assertThat(failed.number("files_failed")).isEqualTo(1);
        assertThat(failed.jsonOfType("warning")).hasSize(1);
        assertThat(failed.number("files")).isEqualTo(2);
    }

    @Test
    void aFileOfAnotherUserThatIsLinkedIntoPlaceIsCopied() throws IOException {
        write("first", "1");
        // Without the capability, the kernel does not tell it who has a file of another user open.
        FdtProcess client = at.startWithout("-lease", watching());
        awaitCopyOf(client, "first");
        Path made = Files.writeString(at.path("made"), "2");
        Shell.ok("chown", "1234", made);
        Files.createLink(source.resolve("linked"), made);
        awaitCopyOf(client, "linked");
        stop(client).expectExit(0);
    }

    @Test
    void aDirectoryThatCannotBeReadIsReportedOnceAndCopiedWhenItCanBeRead() throws IOException {
        write("closed/a", "1");
        write("open/b", "2");
        Path closed = source.resolve("closed");
        Shell.ok("chmod", "0", closed);
        FdtProcess client = at.startWithout(Workplace.PRIVILEGES, watching());
        client.awaitErrorLine(Workplace.LIMIT, line -> line.contains("closed: cannot read directory: Permission"));
        awaitCopyOf(client, "open/b");
        assertThat(copied("closed")).doesNotExist();
        Shell.ok("chmod", "755", closed);
        awaitCopyOf(client, "closed/a");
        Outcome outcome = stop(client).expectExit(0);
        assertThat(outcome.jsonOfType("warning")).hasSize(1);
    }

    @Test
    void aDirectoryThatCannotBeReadFailsTheCommandAtItsEnd() throws IOException {
        write("closed/a", "1");
        write("b", "2");
        // Its names can be read, and nothing else of its files.
        Shell.ok("chmod", "444", source.resolve("closed"));
        FdtProcess client = at.startWithout(Workplace.PRIVILEGES, watching());
        awaitCopyOf(client, "b");
        write("c", "3");
        awaitCopyOf(client, "c");
        Outcome outcome = stop(client).expectExit(3);
        assertThat(outcome.number("files_failed")).isEqualTo(1);
        assertThat(outcome.errText()).contains("closed: cannot read directory: Permission denied");
    }

    @Test
    void aDirectoryThatIsGoneIsReportedAndWatchedAgainWhenItIsBack() throws IOException {
        write("a", "1");
        FdtProcess client = watch();
        awaitCopyOf(client, "a");
        Files.move(source, at.path("moved"));
        client.awaitErrorLine(Workplace.LIMIT, line -> line.contains("daq/: cannot read directory: No such file"));
        write("b", "2");
        awaitCopyOf(client, "b");
        stop(client).expectExit(0);
    }

    @Test
    void tooFewWatchesAreReported() throws IOException {
        write("1/2/3/a", "1");
        String limited = "echo 2 > /proc/sys/user/max_inotify_watches && exec \"$@\"";
        FdtProcess client = at.startThrough(List.of("unshare", "-U", "-r", "bash", "-c", limited, "bash"), watching());
        client.awaitErrorLine(Workplace.LIMIT, line -> line.contains("raise fs.inotify.max_user_watches"));
        stop(client).expectExit(0);
    }

    @Test
    void aFileThatIsStillOpenAtTheEndIsReported() throws IOException {
        FdtProcess writing = writer("open");
        write("complete", "1");
        FdtProcess client = watch();
        awaitCopyOf(client, "complete");
        Outcome outcome = stop(client).expectExit(0);
        assertThat(outcome.errText()).contains("1 file not copied, because not seen unchanged long enough yet");
        writing.stdin().close();
    }

    @Test
    void copiesWithinThisHostAndKeepsTheNameOfTheDirectory() throws IOException {
        write("a/b", "1");
        FdtProcess client = at.startCopy("--watch", source, at.directory("backup"));
        Path copy = at.path("backup/daq/a/b");
        Await.until("it is copied", Workplace.LIMIT, () -> Files.exists(copy) || !client.isAlive());
        stop(client).expectExit(0);
        at.copy("--watch", at.path("nowhere"), server.url("/in")).expectExit(4);
    }
}
