package io.fdt.cli.value;

import io.fdt.core.failure.TransferException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Finds the known name that a user may have meant. */
public final class Nearest {
    private Nearest() {}

    /** Returns the closest candidate, or null if none is close enough for a hint. */
    static @Nullable String to(String text, Collection<String> candidates) {
        String best = null;
        int bestDistance = Math.max(1, Math.min(3, text.replace("-", "").length() / 3)) + 1;
        for (String candidate : candidates) {
            int distance = distanceBelow(bestDistance, text, candidate);
            if (distance < bestDistance) {
                best = candidate;
                bestDistance = distance;
            }
        }
        return best != null ? best : extension(text, candidates);
    }

    /** Returns {@code "; did you mean '--lanes'?"}, or an empty text. */
    public static String hint(String text, Collection<String> candidates) {
        String nearest = to(text, candidates);
        return nearest == null ? "" : "; did you mean '" + nearest + "'?";
    }

    /**
     * The refusal of an unknown word, with the possible ones: {@code unknown action 'shwo'; one of show, plan; did you
     * mean 'show'?}.
     */
    public static TransferException unknown(String what, String text, Collection<String> candidates) {
        return UserText.refusal("unknown " + what + " " + UserText.quoted(text) + "; one of "
                + String.join(", ", candidates) + hint(text, candidates));
    }

    /** Returns the only candidate that starts with the text, such as {@code --rate-limit} for {@code --rate}. */
    private static @Nullable String extension(String text, Collection<String> candidates) {
        String found = null;
        for (String candidate : candidates) {
            if (text.length() >= 4 && candidate.startsWith(text)) {
                if (found != null) {
                    return null;
                }
                found = candidate;
            }
        }
        return found;
    }

    /**
     * Returns how many letters must be inserted, dropped, replaced or swapped with a neighbour to turn one text into
     * the other, or the limit if that is not fewer. Most names are too far away after a few letters.
     */
    private static int distanceBelow(int limit, String a, String b) {
        if (Math.abs(a.length() - b.length()) >= limit) {
            return limit;
        }
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            cost[i][0] = i;
        }
        for (int j = 0; j <= b.length(); j++) {
            cost[0][j] = j;
        }
        int leastBefore = 0;
        for (int i = 1; i <= a.length(); i++) {
            int leastOfRow = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                int least = Math.min(cost[i - 1][j - 1] + change, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
                boolean swapped =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                cost[i][j] = swapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
                leastOfRow = Math.min(leastOfRow, cost[i][j]);
            }
            // A row derives from the two before it.
            if (Math.min(leastBefore, leastOfRow) >= limit) {
                return limit;
            }
            leastBefore = leastOfRow;
        }
        return Math.min(limit, cost[a.length()][b.length()]);
    }
}
