package io.fdt.core.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TreeOrder;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TreeComparisonTest {
    private static final VerifyPlan.Side HERE = new VerifyPlan.Side(null, 0, RawPath.ofText("a"), "a");
    private static final VerifyPlan.Side THERE = new VerifyPlan.Side(null, 0, RawPath.ofText("b"), "b");

    /**
     * Goal: exactly the damaged paths are reported, each with its kind of damage. Method: a random tree, a copy of it,
     * and one random damage to each of some of its paths.
     */
    @Test
    void namesExactlyWhatWasDamaged() throws InterruptedException {
        long seed = Long.getLong("fdt.seed", 1);
        Random random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            Map<RawPath, CheckedEntry> left = randomTree(random);
            Map<RawPath, CheckedEntry> right = new TreeMap<>(TreeOrder::compare);
            right.putAll(left);
            Map<String, String> expected = new TreeMap<>();
            for (RawPath path : List.copyOf(left.keySet())) {
                if (random.nextInt(5) == 0) {
                    damage(path, left, right, random, expected);
                }
            }

            Told told = compare(List.copyOf(left.values()), List.copyOf(right.values()), true);

            assertThat(told.findings).as("seed %s, round %s", seed, round).isEqualTo(expected);
            assertThat(told.summary.kind())
                    .isEqualTo(
                            expected.isEmpty()
                                    ? null
                                    : expected.values().stream().allMatch("UNREADABLE"::equals)
                                            ? FailureKind.SOURCE
                                            : FailureKind.INTEGRITY);
        }
    }

    private static Map<RawPath, CheckedEntry> randomTree(Random random) {
        TreeMap<RawPath, CheckedEntry> tree = new TreeMap<>(TreeOrder::compare);
        List<RawPath> directories = new ArrayList<>(List.of(RawPath.EMPTY));
        tree.put(RawPath.EMPTY, directory(RawPath.EMPTY));
        int size = random.nextInt(60);
        for (int i = 0; i < size; i++) {
            byte[] name = {(byte) ('a' + random.nextInt(3)), (byte) (random.nextInt(200) + 48)};
            RawPath path = directories.get(random.nextInt(directories.size())).resolve(RawPath.ofBytes(name));
            if (!tree.containsKey(path)) {
                int kind = random.nextInt(4);
                tree.put(path, kind == 0 ? directory(path) : kind == 1 ? link(path, "x") : file(path, 5, 1));
                if (kind == 0) {
                    directories.add(path);
                }
            }
        }
        return tree;
    }

    private static void damage(
            RawPath path,
            Map<RawPath, CheckedEntry> left,
            Map<RawPath, CheckedEntry> right,
            Random random,
            Map<String, String> expected) {
        FileEntry entry = entryOf(left.get(path));
        String name = path.display();
        switch (random.nextInt(6)) {
            case 0 -> {
                if (entry.kind() != Kind.DIRECTORY) {
                    right.remove(path);
                    expected.put(name, "MISSING");
                }
            }
            case 1 -> {
                if (entry.kind() != Kind.DIRECTORY) {
                    left.remove(path);
                    expected.put(name, "EXTRA");
                }
            }
            case 2 -> {
                if (entry.kind() == Kind.FILE) {
                    right.put(path, random.nextBoolean() ? file(path, 5, 2) : file(path, 6, 2));
                    expected.put(name, "DIFFERENT");
                }
            }
            case 3 -> {
                right.put(path, entry.kind() == Kind.LINK ? link(path, "y") : link(path, "x"));
                expected.put(name, "DIFFERENT");
            }
            case 4 -> {
                right.put(
                        path,
                        withMode(entry, Objects.requireNonNull(left.get(path)).digest()));
                if (entry.kind() != Kind.LINK) {
                    expected.put(name, "DIFFERENT");
                }
            }
            default -> {
                if (entry.kind() == Kind.FILE) {
                    right.put(path, CheckedEntry.unreadable(entry, Cause.SOURCE.failure("no")));
                    expected.put(name, "UNREADABLE");
                }
            }
        }
    }

    @Test
    void reportsNothingBelowAnUnreadableDirectory() throws InterruptedException {
        RawPath d = RawPath.ofText("d");
        CheckedEntry unlisted = CheckedEntry.unreadable(d, Cause.SOURCE.at("d").failure("denied"));
        List<CheckedEntry> readable =
                List.of(directory(d), file(RawPath.ofText("d/x"), 1, 1), file(RawPath.ofText("d/y"), 1, 1), file("e"));
        List<CheckedEntry> unreadable = List.of(directory(d), unlisted, file("e"));

        for (Told told : List.of(compare(readable, unreadable, false), compare(unreadable, readable, false))) {
            assertThat(told.findings).containsExactly(Map.entry("d", "UNREADABLE"));
            assertThat(told.summary.kind()).isEqualTo(FailureKind.SOURCE);
        }
        assertThat(compare(readable, unreadable, false).details).containsExactly("denied (in b)");
        assertThat(compare(unreadable, unreadable, false).summary.differences().unreadable())
                .isEqualTo(2);
    }

    @Test
    void continuesAfterAPathVanishedDuringTheWalk() throws InterruptedException {
        CheckedEntry vanished = CheckedEntry.unreadable(RawPath.ofText("b"), Cause.SOURCE.failure("b: has vanished"));

        Told told = compare(
                List.of(file("a"), vanished, file("c")), List.of(file("a"), file("b"), file("c"), file("z")), false);

        assertThat(told.findings).containsExactly(Map.entry("b", "UNREADABLE"), Map.entry("z", "EXTRA"));
        assertThat(told.summary.digest()).isNull();
    }

    @Test
    void comparesModesAndTimesOnlyOnRequest() throws InterruptedException {
        CheckedEntry plain = file("a");
        CheckedEntry other = withMode(entryOf(plain), plain.digest());

        assertThat(compare(List.of(plain), List.of(other), false).summary.failure())
                .isNull();
        assertThat(compare(List.of(plain), List.of(other), true).details).containsExactly("mode 0644 and 0600");
    }

    private static final class Told implements VerifyObserver {
        final Map<String, String> findings = new TreeMap<>();
        final List<String> details = new ArrayList<>();
        VerifySummary summary = new VerifySummary(null, 0, 0, VerifySummary.Differences.NONE, 0, null);

        @Override
        public void onStart(String tree, String against, String digest) {
            throw new AssertionError("a comparison starts nothing");
        }

        @Override
        public void onDifference(String path, Finding finding, @Nullable String detail) {
            findings.put(path.equals("a root") ? "." : path, finding.name());
            if (detail != null) {
                details.add(detail);
            }
        }

        @Override
        public void onWarning(String message) {
            throw new AssertionError(message);
        }
    }

    private static Told compare(List<CheckedEntry> left, List<CheckedEntry> right, boolean metadata)
            throws InterruptedException {
        VerifyPlan.Side shown = new VerifyPlan.Side(null, 0, RawPath.EMPTY, "a root");
        VerifyPlan plan = new VerifyPlan(shown, THERE, metadata, false, DigestKind.XXH3_128, 1, 1000);
        Told told = new Told();
        Findings findings = new Findings(plan, plan.digest(), new RunningTotals(), told);
        EntryRules rules = EntryRules.ofTrees(metadata);
        new TreeComparison(new Given(left), HERE, new Given(right), THERE, rules, findings).run();
        told.summary = findings.summary(null);
        return told;
    }

    /** Entries that were read beforehand. */
    private static final class Given implements EntrySource {
        private final Iterator<CheckedEntry> entries;

        Given(List<CheckedEntry> entries) {
            this.entries = entries.iterator();
        }

        @Override
        public @Nullable CheckedEntry next() {
            return entries.hasNext() ? entries.next() : null;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void close() {
            throw new AssertionError("a comparison does not own its sides");
        }
    }

    private static FileEntry entryOf(@Nullable CheckedEntry checked) {
        if (checked == null || checked.entry() == null) {
            throw new AssertionError("no entry: " + checked);
        }
        return checked.entry();
    }

    private static CheckedEntry file(String path) {
        return file(RawPath.ofText(path), 5, 1);
    }

    private static CheckedEntry file(RawPath path, long sizeBytes, int content) {
        byte[] digest = new byte[16];
        digest[3] = (byte) content;
        return CheckedEntry.found(entry(path, Kind.FILE, sizeBytes, 0644, null), digest);
    }

    private static CheckedEntry directory(RawPath path) {
        return CheckedEntry.found(entry(path, Kind.DIRECTORY, 0, 0755, null));
    }

    private static CheckedEntry link(RawPath path, String target) {
        return CheckedEntry.found(entry(path, Kind.LINK, 0, 0777, RawPath.ofText(target)));
    }

    private static CheckedEntry withMode(FileEntry entry, byte[] digest) {
        return CheckedEntry.found(
                entry(entry.path(), entry.kind(), entry.sizeBytes(), 0600, entry.linkTarget()), digest);
    }

    private static FileEntry entry(RawPath path, Kind kind, long sizeBytes, int mode, @Nullable RawPath linkTarget) {
        return new FileEntry(path, kind, sizeBytes, Entries.metadata(mode, 7, 8), false, linkTarget);
    }
}
