package io.fdt.core.storage.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.fdt.core.budget.Budgets;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathFilterTest {
    /** A path that ends with a slash is a directory. */
    private static boolean excludes(String path, String... rules) {
        List<PathRule> parsed = new ArrayList<>();
        for (String rule : rules) {
            parsed.add(new PathRule(rule.charAt(0) == '+', RawPath.ofText(rule.substring(1))));
        }
        boolean directory = path.endsWith("/");
        String name = directory ? path.substring(0, path.length() - 1) : path;
        return new PathFilter(parsed, Budgets.ofProcess()).excludes(RawPath.ofText(name), directory);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "x           | x           | true",
                "x           | a/b/x       | true",
                "x           | a/x/        | true",
                "x           | xx          | false",
                "/x          | x           | true",
                "/x          | a/x         | false",
                "/a/x        | a/x         | true",
                "/a/x        | b/a/x       | false",
                "a/x         | a/x         | true",
                "a/x         | b/a/x       | true",
                "a/x         | ba/x        | false",
                "a/x         | a/x/y       | false",
                "x/          | x/          | true",
                "x/          | x           | false",
                "a/x/        | b/a/x/      | true",
                "*.o         | a/b.o       | true",
                "*.o         | a.o/b       | false",
                "*           | a/b         | true",
                "a*/c        | ab/c        | true",
                "a*/c        | a/b/c       | false",
                "a/*         | a/b         | true",
                "a/*         | a/b/c       | false",
                "/a/**       | a/b/c       | true",
                "/a/**       | a           | false",
                "a/**/c      | a/b/d/c     | true",
                "a/**/c      | a/c         | false",
                "**/c        | a/c         | true",
                "**/c        | c           | true",
                "**/c/       | c/          | true",
                "***/c       | c           | true",
                "**/c/***    | c/d         | true",
                "**/c        | ac          | false",
                "**a/c       | c           | false",
                "/**/c       | c           | false",
                "**c         | a/b/c       | true",
                "foo**bar    | x/foo/y/bar | true",
                "a/***       | a/          | true",
                "a/***       | a           | false",
                "a/***       | x/a/b/c     | true",
                "/a/***      | x/a/b       | false",
                "?           | a/b         | true",
                "?           | bb          | false",
                "a?b         | a/b         | false",
                "[abc]       | b           | true",
                "[abc]       | d           | false",
                "[a-c]x      | bx          | true",
                "[!a-c]      | d           | true",
                "[^a-c]      | b           | false",
                "a[!x]b      | a/b         | false",
                "[]]         | ]           | true",
                "[]a-]       | -           | true",
                "[[:digit:]] | 7           | true",
                "[[:digit:]] | a           | false",
                "[![:upper:]] | a          | true",
                "[ab         | [ab         | true",
                "\\*         | \\x         | false",
                "a\\*        | a\\*        | false",
                "a\\*        | a*          | true",
                "a\\b        | a\\b        | true",
                "            | a           | false",
            })
    void matchesLikeRsync(String glob, String path, boolean excluded) {
        assertThat(excludes(path, "-" + (glob == null ? "" : glob))).isEqualTo(excluded);
    }

    /** As many patterns as a peer may send, which consist only of the shortest possible character classes. */
    @Test
    void keepsClassesInLittleMemory() {
        long before = usedHeap();
        PathFilter filter = new PathFilter(
                Collections.nCopies(64, new PathRule(false, RawPath.ofText("[a]".repeat(1365)))), Budgets.ofProcess());
        assertThat(usedHeap() - before).isLessThan(8L << 20);
        assertThat(filter.excludes(RawPath.ofText("a".repeat(1365)), false)).isTrue();
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    void letsTheFirstMatchDecide() {
        assertThat(excludes("a.c", "+*.c", "-*")).isFalse();
        assertThat(excludes("a.o", "+*.c", "-*")).isTrue();
        assertThat(excludes("a.c", "-*", "+*.c")).isTrue();
        assertThat(excludes("d/", "+*/", "+*.c", "-*")).isFalse();
        assertThat(excludes("a")).isFalse();
    }

    @Test
    void neverExcludesTheRoot() {
        assertThat(new PathFilter(List.of(new PathRule(false, RawPath.ofText("*"))), Budgets.ofProcess())
                        .excludes(RawPath.EMPTY, true))
                .isFalse();
    }

    @Test
    void matchesNamesThatAreNotUtf8() {
        RawPath odd = RawPath.ofBytes(new byte[] {(byte) 0xff, '\n', 'x'});
        assertThat(new PathFilter(
                                List.of(new PathRule(false, RawPath.ofBytes(new byte[] {(byte) 0xff, '*'}))),
                                Budgets.ofProcess())
                        .excludes(odd, false))
                .isTrue();
    }

    @Test
    void matchesPathologicalPatternsInLimitedTime() {
        String pattern = "-" + "*a".repeat(1500) + "b";
        String path = "a".repeat(4000);
        assertTimeoutPreemptively(
                Duration.ofMinutes(4), () -> assertThat(excludes(path, pattern)).isFalse());
    }
}
