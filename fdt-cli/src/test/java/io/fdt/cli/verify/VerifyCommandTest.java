package io.fdt.cli.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.CommandRun;
import io.fdt.cli.value.BadValueException;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.RawPath;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.InBackground;
import io.fdt.core.verify.VerifyObserver.Finding;
import io.fdt.core.verify.VerifyPlan;
import io.fdt.core.verify.VerifySummary;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerifyCommandTest {
    private static final VerifySummary DIFFERENT = new VerifySummary(
            Failure.of(Cause.INTEGRITY, "a is not the same"),
            30,
            4096,
            new VerifySummary.Differences(21, 2, 1, 0, 0),
            1_000_000_000L,
            null);

    @Test
    void comparesTwoTreesByDefault() {
        CommandRun run = new CommandRun();
        assertThat(run.run("verify", "a/", "fdt://h:4000/b")).as(run.err()).isZero();

        assertThat(run.engine.verifyPlan())
                .isEqualTo(new VerifyPlan(
                        new VerifyPlan.Side(null, 0, RawPath.ofText("a/"), "a/"),
                        new VerifyPlan.Side("h", 4000, RawPath.ofText("/b"), "fdt://h:4000/b"),
                        false,
                        false,
                        DigestKind.XXH3_128,
                        8,
                        30_000));
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .isEqualTo("fdt: 3 files, 123 B verified in 1.23 s: all the same; tree digest xxh3-128:00ff\n");
    }

    /** A line that is wider would scroll the terminal each time it is drawn. */
    @Test
    void drawsProgressNoWiderThanTheTerminal() {
        CommandRun run = new CommandRun().onTerminal().environment("COLUMNS", "40");
        run.engine.endless = true;
        run.engine.verification = observer -> observer.onStart("a", "b", "xxh3-128");
        var command = InBackground.start(() -> run.run("verify", "a", "b"));
        Await.until("progress is drawn", () -> run.err().contains("\rread "));
        run.signals.raise("INT");
        assertThat(command.result()).isEqualTo(130);
        String drawn = run.err().substring(run.err().indexOf("\rread ") + 1);
        assertThat(drawn.substring(0, drawn.indexOf('\u001b'))).hasSize(39);
    }

    @Test
    void readsEveryOption() {
        CommandRun run = new CommandRun();
        assertThat(run.run(
                        "verify",
                        "--receipt",
                        "r.json",
                        "--extra",
                        "--metadata",
                        "--device",
                        "-P3",
                        "--timeout",
                        "5s",
                        "t"))
                .as(run.err())
                .isZero();

        VerifyPlan plan = run.engine.verifyPlan();
        assertThat(plan.expected()).isEqualTo(new VerifyPlan.ListFile(RawPath.ofText("r.json"), true));
        assertThat(plan.metadata() && plan.device()).isTrue();
        assertThat(plan.threads()).isEqualTo(3);
        assertThat(plan.timeoutMs()).isEqualTo(5_000);
        CommandRun sha = new CommandRun();
        assertThat(sha.run("verify", "--digest", "sha256", "a", "b")).isZero();
        assertThat(sha.engine.verifyPlan().digest()).isEqualTo(DigestKind.SHA256);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "verify | no tree; write fdt verify [OPTION…] A B, or fdt verify [OPTION…] --receipt FILE TREE",
                "verify a | nothing to compare with; write fdt verify [OPTION…] A B, or fdt verify [OPTION…] --receipt FILE TREE",
                "verify a b c | too many trees; write fdt verify [OPTION…] A B, or fdt verify [OPTION…] --receipt FILE TREE",
                "verify --receipt r a b | too many trees; write fdt verify [OPTION…] A B, or fdt verify [OPTION…] --receipt FILE TREE",
                "verify --extra a b | --extra applies only to --receipt and --manifest; between two trees, extra files are"
                        + " always differences",
                "verify --receipt r --digest sha256 a | --digest applies only to two trees; a receipt has its"
                        + " own digest",
                "verify --manifest md5=m --digest sha256 a | --digest applies only to two trees; a manifest has its"
                        + " own digest",
                "verify --manifest md5=m --receipt r a | --receipt and --manifest cannot be combined; give only one"
                        + " of them",
                "verify --manifest md5=m --metadata a | --metadata does not apply to --manifest, which has no modes and"
                        + " times",
                "verify --manifest md4=m a | --manifest 'md4=m': not KIND=FILE with one of the KINDs sha256, md5,"
                        + " adler32, crc32c, crc32; write for example sha256=SHA256SUMS",
                "verify u@h:a u@h:b | a tree over ssh can be compared only with a local tree, a receipt or a manifest;"
                        + " start a server on the other host and write fdt://HOST/PATH for both",
                "verify --receipt r --extra u@h:a | --extra does not apply to a tree over ssh; write fdt://HOST/PATH",
                "verify --ssh ssh a b | --ssh applies only to a tree over ssh; write USER@HOST:PATH",
                "verify --devise a b | unknown option '--devise'; did you mean '--device'?",
                "verify -P 0 a b | --threads '0': not a number from 1 to 256, nor auto",
                "verify a fdt:///b | 'fdt:///b': not an address; write HOST, HOST:PORT or [IPV6]:PORT",
            })
    void refusesWhatMakesNoSenseInOneLine(String line, String message) {
        CommandRun run = new CommandRun();
        assertThat(run.run(List.of(line.split(" ", -1)))).isEqualTo(2);
        assertThat(run.err()).isEqualTo("fdt: " + message + "\n");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void listsTheFirstTwentyDifferencesAndCountsTheRest() {
        CommandRun run = different();
        assertThat(run.run("verify", "a", "b")).isEqualTo(6);

        List<String> lines = run.errLines();
        assertThat(lines).hasSize(22);
        assertThat(lines.get(0)).isEqualTo("fdt: different f0: content");
        assertThat(lines.get(20)).isEqualTo("fdt: ... and 4 more");
        assertThat(lines.get(21))
                .isEqualTo("fdt: 30 files, 4.00 KiB verified in 1.00 s: 21 differ, 2 missing, 1 extra");

        CommandRun verbose = different();
        assertThat(verbose.run("verify", "-v", "a", "b")).isEqualTo(6);
        assertThat(verbose.errLines())
                .hasSize(26)
                .contains("fdt: missing f23", "fdt: verifying a against b by xxh3-128");

        CommandRun quiet = different();
        assertThat(quiet.run("verify", "-q", "a", "b")).isEqualTo(6);
        assertThat(quiet.errLines()).hasSize(22);
    }

    private static CommandRun different() {
        CommandRun run = new CommandRun();
        run.engine.verification = observer -> {
            observer.onStart("a", "b", "xxh3-128");
            for (int i = 0; i < 24; i++) {
                boolean differs = i < 21;
                observer.onDifference(
                        "f" + i, differs ? Finding.DIFFERENT : Finding.MISSING, differs ? "content" : null);
            }
        };
        run.engine.verified = DIFFERENT;
        return run;
    }

    @Test
    void verifiesAManifest() {
        CommandRun run = new CommandRun();
        assertThat(run.run("verify", "--manifest", "sha256=SUMS", "t"))
                .as(run.err())
                .isZero();
        assertThat(run.engine.verifyPlan().expected())
                .isEqualTo(new VerifyPlan.ListFile(RawPath.ofText("SUMS"), false));
        assertThat(run.engine.verifyPlan().digest()).isEqualTo(FileHash.SHA256);
    }

    @Test
    void reportsUnverifiedEntriesSeparately() {
        CommandRun run = new CommandRun();
        run.engine.verification = observer -> {
            observer.onStart("a", "r", "xxh3-128");
            observer.onDifference("f", Finding.UNVERIFIED, "no digest");
        };
        run.engine.verified = new VerifySummary(
                Failure.of(Cause.SOURCE, "not everything"),
                3,
                4096,
                new VerifySummary.Differences(0, 0, 0, 1, 2),
                1_000_000_000L,
                null);
        assertThat(run.run("verify", "--receipt", "r", "a")).isEqualTo(4);
        assertThat(run.err()).isEqualTo("""
                        fdt: unverified f: no digest
                        fdt: 3 files, 4.00 KiB verified in 1.00 s: 1 unreadable, 1 unverified
                        """);

        CommandRun sizes = new CommandRun();
        sizes.engine.verification = observer -> observer.onStart("a", "b", "none");
        assertThat(sizes.run("verify", "--digest", "none", "a", "b")).isZero();
        assertThat(sizes.err()).contains("the same sizes; contents were not compared");
    }

    @Test
    void quietPrintsNothingIfTreesAreEqual() {
        CommandRun run = new CommandRun();
        assertThat(run.run("verify", "-q", "a", "b")).isZero();
        assertThat(run.err()).isEmpty();
    }

    @Test
    void writesOneJsonObjectALine() {
        CommandRun run = different();
        assertThat(run.run("verify", "--json", "a", "b")).isEqualTo(6);

        List<Map<String, Object>> lines = run.json();
        assertThat(lines).hasSize(26);
        assertThat(lines.get(0)).containsEntry("type", "start").containsEntry("tree", "a");
        assertThat(lines.get(1))
                .containsEntry("type", "file")
                .containsEntry("path", "f0")
                .containsEntry("outcome", "different")
                .containsEntry("detail", "content");
        assertThat(run.lastJson())
                .containsEntry("type", "summary")
                .containsEntry("outcome", "different")
                .containsEntry("exit_code", 6L)
                .containsEntry("files", 30L)
                .containsEntry("bytes", 4096L)
                .containsEntry("differing", 21L)
                .containsEntry("missing", 2L)
                .containsEntry("extra", 1L)
                .containsEntry("unreadable", 0L)
                .containsEntry("files_unverified", 0L)
                .containsKeys("seconds", "digest");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void reportsAFailureOnceInTextAndInJson() {
        CommandRun run = new CommandRun();
        run.engine.failure = Cause.CANNOT_CONNECT.failure("nobody at h");
        assertThat(run.run("verify", "--json", "a", "fdt://h/b")).isEqualTo(8);

        assertThat(run.errLines()).hasSize(1);
        assertThat(run.err()).startsWith("fdt: nobody at h; check the address");
        assertThat(run.json()).hasSize(2);
        assertThat(run.json().get(0)).containsEntry("type", "error").containsEntry("exit_code", 8L);
        assertThat(run.lastJson()).containsEntry("outcome", "failed").containsEntry("exit_code", 8L);

        CommandRun refused = new CommandRun();
        assertThat(refused.run("verify", "--json", "a")).isEqualTo(2);
        assertThat(refused.lastJson()).containsEntry("type", "summary").containsEntry("exit_code", 2L);
    }

    @Test
    void stopsOnASignal() throws InterruptedException {
        CommandRun run = new CommandRun();
        run.engine.endless = true;
        var command = InBackground.start(() -> run.run("verify", "a", "b"));
        assertThat(run.engine.started.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                .isTrue();

        run.signals.raise("INT");

        assertThat(command.result()).isEqualTo(130);
        assertThat(run.engine.interruptedBy).isEqualTo(Cause.INTERRUPTED);
        assertThat(run.errLines())
                .containsExactly(
                        "fdt: stopping (interrupt again to stop at once)", "fdt: stopped by Ctrl-C; run it again");
    }

    @Test
    void countsCoresForItsThreads() throws BadValueException {
        assertThat(VerifyRequest.threads("auto", 2)).isEqualTo(2);
        assertThat(VerifyRequest.threads("auto", 64)).isEqualTo(16);
        assertThat(VerifyRequest.threads("40", 2)).isEqualTo(40);
    }
}
