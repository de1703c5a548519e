package io.fdt.core.fuzz;

import io.fdt.core.hostile.SessionFuzz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The long run behind {@code scripts/fuzz}: shares the minutes among the targets and prints the result of each. Exits
 * with 1 after a finding, and leaves the input in a file.
 */
public final class FuzzMain {
    private FuzzMain() {}

    /** @param arguments minutes, target or {@code all}, seed, the directory for findings */
    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) throws Exception {
        double minutes = Double.parseDouble(arguments[0]);
        String wanted = arguments[1];
        long seed = Long.parseLong(arguments[2]);
        Path findings = Path.of(arguments[3]);
        Path place = Files.createTempDirectory("fdt-fuzz");
        System.out.println("seed " + seed);
        int found = 0;
        try {
            List<FuzzTarget> targets = new ArrayList<>(FuzzTargets.all(place));
            targets.removeIf(target -> !wanted.equals("all") && !wanted.equals(target.name()));
            boolean sessions = wanted.equals("all") || wanted.equals(SessionFuzz.NAME);
            if (targets.isEmpty() && !sessions) {
                System.err.println("fuzz: there is no target " + wanted);
                System.exit(2);
            }
            // Sessions are slow, so they get a quarter of the time.
            double sessionMinutes = !sessions ? 0 : targets.isEmpty() ? minutes : minutes / 4;
            long nanosEach = targets.isEmpty()
                    ? 0
                    : (long) ((minutes - sessionMinutes) * TimeUnit.MINUTES.toNanos(1) / targets.size());
            for (FuzzTarget target : targets) {
                try (target) {
                    System.out.println(new Fuzzer(target, seed)
                            .run(Long.MAX_VALUE, System.nanoTime() + nanosEach)
                            .line());
                } catch (Finding finding) {
                    found++;
                    report(finding, target.name(), findings);
                }
            }
            if (sessions) {
                long nanos = (long) (sessionMinutes * TimeUnit.MINUTES.toNanos(1));
                System.out.println(
                        SessionFuzz.run(place.resolve("sessions"), seed, Integer.MAX_VALUE, System.nanoTime() + nanos));
            }
        } catch (AssertionError finding) {
            found++;
            finding.printStackTrace();
        } finally {
            delete(place);
        }
        System.out.println(found == 0 ? "nothing was found" : found + " findings");
        // A hanging input leaves its thread running.
        System.exit(found == 0 ? 0 : 1);
    }

    private static void report(Finding finding, String target, Path findings) throws IOException {
        finding.printStackTrace();
        Path file = findings.resolve(target).resolve(name(finding.input()));
        Files.createDirectories(findings.resolve(target));
        Files.write(file, finding.input());
        System.err.println(
                "the input is in " + file + "; in fdt-core/src/test/resources/fuzz/" + target + " it becomes a test");
    }

    private static String name(byte[] input) {
        return HexFormat.of().toHexDigits(java.util.Arrays.hashCode(input)) + ".bin";
    }

    private static void delete(Path place) throws IOException {
        try (Stream<Path> paths = Files.walk(place)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
