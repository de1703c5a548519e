package io.fdt.core.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.hostile.SessionFuzz;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A short run of every target, with a fixed number of executions on every machine, and with every input that once broke
 * a rule. {@code -Dfdt.seed=…} replays one run; {@code scripts/fuzz} makes long ones.
 */
@Timeout(value = 4, unit = TimeUnit.HOURS)
class FuzzTest {
    private static final long SEED = Long.getLong("fdt.seed", 1);
    private static final long EXECUTIONS = Long.getLong("fdt.fuzz.executions", 300);
    private static final int SESSIONS = Integer.getInteger("fdt.fuzz.sessions", 4);
    /** These create signatures and write files, and take a hundred times as long. */
    private static final Set<String> SLOW =
            Set.of("identity", "receipt", "manifest", "journal", "keys", "known-servers", "run-log");

    @TempDir
    Path place;

    @Test
    void noDecoderBreaksAnyRule() throws Exception {
        System.err.println("fuzzed with -Dfdt.seed=" + SEED);
        for (FuzzTarget target : FuzzTargets.all(place)) {
            long executions = SLOW.contains(target.name()) ? EXECUTIONS / 10 : EXECUTIONS;
            try (target) {
                Fuzzer.Report report =
                        new Fuzzer(target, SEED).run(executions, System.nanoTime() + TimeUnit.MINUTES.toNanos(2));
                System.err.println(report.line());
                assertThat(report.executions()).isGreaterThanOrEqualTo(executions);
                assertThat(report.outcomes())
                        .as("outcomes of %s", target.name())
                        .isGreaterThan(1);
            } catch (Finding finding) {
                throw new AssertionError("replay with -Dfdt.seed=" + SEED + ": " + finding.getMessage(), finding);
            }
        }
    }

    @Test
    void noSessionBreaksAnyRule() throws Exception {
        long seed = Long.getLong("fdt.seed", 1);
        System.err.println(SessionFuzz.run(
                place.resolve("sessions"), seed, SESSIONS, System.nanoTime() + TimeUnit.MINUTES.toNanos(2)));
    }

    @Test
    void inputsThatOnceBrokeARuleBreakNone() throws Exception {
        for (FuzzTarget target : FuzzTargets.all(place)) {
            try (target) {
                Fuzzer fuzzer = new Fuzzer(target, 0);
                for (Path input : regressions(target.name())) {
                    fuzzer.executeOnce(Files.readAllBytes(input));
                }
            }
        }
    }

    private static List<Path> regressions(String target) throws IOException, URISyntaxException {
        URL directory = FuzzTest.class.getResource("/fuzz/" + target);
        if (directory == null) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(Path.of(directory.toURI()))) {
            return files.sorted().toList();
        }
    }

    @Test
    void detectsBrokenRules() {
        assertThatThrownBy(() -> fuzz(input -> {
                    throw new IllegalStateException("mistake");
                }))
                .isInstanceOf(Finding.class)
                .hasMessageContaining("mistake");
        assertThatThrownBy(() -> fuzz(input -> {
                    throw Cause.INTERNAL.failure("bug");
                }))
                .hasMessageContaining("INTERNAL");
        assertThatThrownBy(() -> fuzz(input -> "" + new byte[2 << 20].length)).hasMessageContaining("allocates");
        assertThatThrownBy(() -> fuzz(input -> {
                    input[0]++;
                    return "";
                }))
                .hasMessageContaining("changes its input");
    }

    private void fuzz(Function<byte[], String> decoder) throws Exception {
        FuzzTarget target = new FuzzTarget() {
            @Override
            public String name() {
                return "broken";
            }

            @Override
            public List<byte[]> corpus() {
                return List.of(new byte[] {1, 2, 3});
            }

            @Override
            public Set<FailureKind> expected() {
                return EnumSet.of(FailureKind.USAGE);
            }

            @Override
            public MemoryBound bound() {
                return new MemoryBound(1 << 20, 1);
            }

            @Override
            public String run(byte[] input) {
                return decoder.apply(input);
            }
        };
        new Fuzzer(target, 1).run(10, System.nanoTime() + TimeUnit.MINUTES.toNanos(1));
    }
}
