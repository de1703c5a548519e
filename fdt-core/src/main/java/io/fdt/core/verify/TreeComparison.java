package io.fdt.core.verify;

import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.TreeOrder;
import org.jspecify.annotations.Nullable;

/**
 * Compares two trees as streams, both in {@link TreeOrder}, without holding either. What one side could not read, and
 * everything below it, is not reported as missing or extra on the other. For one thread.
 */
final class TreeComparison {
    private final Cursor tree;
    private final Cursor other;
    private final EntryRules rules;
    private final Findings findings;

    private static final class Cursor {
        private final EntrySource source;
        private final VerifyPlan.Side side;
        private @Nullable CheckedEntry current;

        Cursor(EntrySource source, VerifyPlan.Side side) {
            this.source = source;
            this.side = side;
        }

        void advance() throws InterruptedException {
            current = source.next();
        }
    }

    TreeComparison(
            EntrySource tree,
            VerifyPlan.Side treeSide,
            EntrySource other,
            VerifyPlan.Side otherSide,
            EntryRules rules,
            Findings findings) {
        this.tree = new Cursor(tree, treeSide);
        this.other = new Cursor(other, otherSide);
        this.rules = rules;
        this.findings = findings;
    }

    void run() throws InterruptedException {
        tree.advance();
        other.advance();
        while (tree.current != null || other.current != null) {
            step(tree.current, other.current);
        }
    }

    private void step(@Nullable CheckedEntry left, @Nullable CheckedEntry right) throws InterruptedException {
        int order = left == null ? 1 : right == null ? -1 : TreeOrder.compare(left.path(), right.path());
        if (left != null && order <= 0 && isBlind(left)) {
            passOver(tree, left, other);
        } else if (right != null && order >= 0 && isBlind(right)) {
            passOver(other, right, tree);
        } else if (left != null && right != null && order == 0) {
            compare(left, right);
            findings.noteDoubt(right);
            takeTree();
            other.advance();
        } else if (left != null && order < 0) {
            findings.missing(left.path());
            takeTree();
        } else if (right != null) {
            findings.extra(right.path());
            other.advance();
        }
    }

    private static boolean isBlind(CheckedEntry checked) {
        return checked.entry() == null;
    }

    /** One side could not read a path; skips what the other side has there and below. */
    private void passOver(Cursor blind, CheckedEntry unread, Cursor seeing) throws InterruptedException {
        findings.unreadable(unread, blind.side);
        advance(blind);
        while (seeing.current != null && TreeOrder.covers(unread.path(), seeing.current.path())) {
            if (seeing.current.failure() != null) {
                findings.unreadable(seeing.current, seeing.side);
            }
            advance(seeing);
        }
    }

    private void advance(Cursor cursor) throws InterruptedException {
        if (cursor == tree) {
            takeTree();
        } else {
            cursor.advance();
        }
    }

    private void takeTree() throws InterruptedException {
        if (tree.current != null) {
            findings.count(tree.current);
        }
        tree.advance();
    }

    private void compare(CheckedEntry left, CheckedEntry right) {
        String difference = rules.difference(left, right);
        if (difference != null) {
            findings.different(left.path(), difference);
        } else if (left.failure() != null) {
            findings.unreadable(left, tree.side);
        } else if (right.failure() != null) {
            findings.unreadable(right, other.side);
        }
    }
}
