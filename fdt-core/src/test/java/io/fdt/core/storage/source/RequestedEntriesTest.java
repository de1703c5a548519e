package io.fdt.core.storage.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.budget.Budgets;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileBounds;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.StorageTest;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestedEntriesTest extends StorageTest {
    private static List<RawPath> paths(String words) {
        return Stream.of(words.split(" ", -1)).map(RawPath::ofText).toList();
    }

    private static TransferPlan selection(String sources, @Nullable String names, @Nullable String rules) {
        List<PathRule> parsed = rules == null
                ? List.of()
                : Stream.of(rules.split(" ", -1))
                        .map(rule -> new PathRule(rule.charAt(0) == '+', RawPath.ofText(rule.substring(1))))
                        .toList();
        return TransferPlan.from(paths(sources))
                .with(CopyValue.NAMES, names == null ? null : paths(names))
                .with(CopyValue.RULES, parsed);
    }

    /** A server could otherwise write to the names of its sources. */
    @Test
    void ofPairsOnlyTheTargetsMayArrive() {
        TransferPlan pairs = TransferPlan.from(List.of(RawPath.ROOT))
                .with(CopyValue.NAMES, paths("from/a to/x from/b y"))
                .with(CopyValue.PAIRS, true);
        RequestedEntries requested = new RequestedEntries(pairs, Budgets.ofProcess());
        for (String path : List.of("to/", "to/x", "to/x/below", "y")) {
            assertThat(takes(requested, path)).as(path).isTrue();
        }
        for (String path : List.of("from/", "from/a", "from/b", "a", "x", "to/other", "yy")) {
            assertThat(takes(requested, path)).as(path).isFalse();
        }
    }

    /** A path that ends with a slash is a directory. */
    private static boolean takes(RequestedEntries requested, String path) {
        boolean directory = path.endsWith("/");
        FileEntry.Kind kind = directory ? FileEntry.Kind.DIRECTORY : FileEntry.Kind.FILE;
        RawPath plain = RawPath.ofText(directory ? path.substring(0, path.length() - 1) : path);
        try {
            requested.require(Entries.of(kind, plain, 0, EntryMetadata.ofMode(0)));
            return true;
        } catch (TransferException refused) {
            assertThat(refused.kind()).isEqualTo(FailureKind.REFUSED);
            assertThat(refused.getMessage()).startsWith(plain.display() + ": ");
            return false;
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "/a/run7      | -       | -          | run7/ run7 run7/x run7/x/y/    | / x run7x run run/x a/run7 .run7",
                "run7 /b/z    | -       | -          | run7/x z z/q                   | / y zz b/z run7z/",
                "/a/run7/     | -       | -          | / x/ x/y .bashrc               | ",
                ".            | -       | -          | / x/ x/y                       | ",
                "/a/..        | -       | -          | / x                            | ",
                "a b/         | -       | -          | / a/x c                        | ",
                "/a           | b/c d   | -          | b/ b/c b/c/ b/c/e d d/e        | / a b b/d b/cc bb/ c a/b/c d./",
                "/a/          | ./b//c/ | -          | b/ b/c                         | / b",
                "/a           | .       | -          | / b/c                          | ",
                "/a           | ../x y  | -          | y                              | x / ../x ../",
                "/a           | a.b/c a/d | -        | a/ a/d a.b/ a.b/c              | a.b a. a./ a/c",
                "/a/          | -       | -*.key     | / x x/y                        | x.key x/y.key x.key/ x.key/y",
                "/a/          | -       | -/.ssh/    | / x/.ssh/ .ssh                 | .ssh/ .ssh/keys .ssh/a/b",
                "/a/          | -       | +*.c -*    | / x.c x.c/y.c                  | x x/ x/y.c",
                "/run7        | -       | -/run7/t/  | run7/ run7/t run7/x/t/         | run7/t/ run7/t/x run7/t/u/v t/",
                "/a           | b/c/d   | -c         | b/                             | b/c/ b/c/d",
                "/r/*.bin     | -       | -          | a.bin a.bin/ a.bin/x é.bin     | / .a.bin a.bix a.bin.x x/a.bin abin",
                "/r/run[0-9] q | -      | -          | run7/ run7/x run0 q            | / run run77 runx r/run7 run[0-9]x",
                "/r*/x?       | -       | -          | xa xb/ xb/c                    | / x xab ra/xa ra/",
                "/r/.f*       | -       | -          | .f .fd                         | / f .fdt.0123456789abcdef.part ..",
                "/r/*         | -       | -          | a b/ b/.c                      | / .a .. .",
                "/r/*/        | -       | -          | / a a/b                        | ",
                "/r/*         | b/c     | -          | b/ b/c                         | a c b/d",
                "/r/*.bin     | -       | -/a*       | b.bin                          | a.bin",
                "/r/[b]       | -       | -          | b [b]                          | a [a] bb",
            })
    void takesOnlyWhatTheSelectionCanYield(
            String sources,
            @Nullable String names,
            @Nullable String rules,
            String requested,
            @Nullable String refused) {
        RequestedEntries entries = new RequestedEntries(selection(sources, names, rules), Budgets.ofProcess());
        for (String path : requested.split(" ", -1)) {
            assertThat(takes(entries, path)).as("requested %s", path).isTrue();
        }
        for (String path : refused == null ? new String[0] : refused.split(" ", -1)) {
            assertThat(takes(entries, path)).as("not requested %s", path).isFalse();
        }
    }

    /** The walk of an honest sender yields only requested entries, whatever was selected. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "tree         | -                 | -",
                "tree/        | -                 | -",
                "tree/.       | -                 | -",
                "tree/a/..    | -                 | -",
                "tree tree/a/ | -                 | -",
                "tree/a/b file | -                | -",
                "tree tree/a  | -                 | -f",
                "file         | -                 | -",
                "tree/        | -                 | +/a/*** -*",
                "tree         | -                 | -/tree/a/b",
                "tree         | a/b/f c/./g ../x a.b | -",
                "tree         | a/ a/b/f a.b c/g  | -g",
                "tree         | .                 | -",
                "tre*         | -                 | -",
                "tree/[ac]    | -                 | -",
                "*/a/?        | -                 | -",
                "t*e/         | -                 | -",
                "tree/a* file | -                 | -f",
                "t*           | a/b/f             | -",
            })
    void takesAllThatAnHonestSenderWalks(String sources, @Nullable String names, @Nullable String rules)
            throws IOException {
        file("file", "");
        for (String path : List.of("tree/f", "tree/a/f", "tree/a/b/f", "tree/a/b/x", "tree/a.b", "tree/c/g")) {
            file(path, "");
        }
        Files.createSymbolicLink(temporary.resolve("tree/a/link"), temporary.resolve("file"));
        TransferPlan selection = selection(sources, names, rules);
        RequestedEntries requested = new RequestedEntries(selection, Budgets.ofProcess());
        int count = 0;
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = new SourceTree(root, selection, EnumSet.allOf(Preserve.class), problems)) {
            for (FileEntry entry = tree.next(); entry != null; entry = tree.next()) {
                requested.require(entry);
                count++;
            }
        }
        assertThat(count).isPositive();
    }

    @Test
    void takesNothingWhereNothingIsNamed() {
        RequestedEntries entries = new RequestedEntries(
                TransferPlan.from(paths("/a")).with(CopyValue.NAMES, List.of()), Budgets.ofProcess());
        assertThat(takes(entries, "/")).isFalse();
        assertThat(takes(entries, "a/")).isFalse();
    }

    @Test
    void filesMustHaveARequestedSizeAndTime() {
        FileBounds bounds = new FileBounds(2, 3, Instant.ofEpochSecond(1_500_000_000L, 123_456_788));
        RequestedEntries entries = new RequestedEntries(
                TransferPlan.from(paths("/a/")).with(CopyValue.BOUNDS, bounds), Budgets.ofProcess());
        entries.require(fileEntry("x", 2));
        entries.require(directoryEntry("d", 0755));
        entries.require(linkEntry("l", "x"));
        FileEntry older = Entries.file(raw("x"), 2, Entries.metadata(0644, 1_500_000_000L, 123_456_788));
        FileEntry stream = Entries.stream("x", EntryMetadata.ofMode(0644));
        for (FileEntry other : List.of(fileEntry("x", 1), fileEntry("x", 4), older, stream)) {
            assertThatThrownBy(() -> entries.require(other)).hasMessageContaining("was not requested");
        }
    }
}
