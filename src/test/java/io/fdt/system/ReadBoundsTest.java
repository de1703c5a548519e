package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileOperation.Action;
import io.fdt.core.plan.FileOperation.Piece;
import io.fdt.core.plan.RawPath;
import io.fdt.core.wire.Bounds;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What Python's client requests at once is within the bounds of one request, and as much as a server sends at once. */
final class ReadBoundsTest {
    private static final String READING =
            Trees.text(Recipe.readme().resolveSibling("integrations/python/src/fdt_client/reading.py"));

    private static int bound(String name) {
        Matcher line = Pattern.compile("^" + name + " = ([\\d_]+)(?: << (\\d+))?$", Pattern.MULTILINE)
                .matcher(READING);
        assertThat(line.find()).as(name).isTrue();
        int number = Integer.parseInt(line.group(1).replace("_", ""));
        return line.group(2) == null ? number : number << Integer.parseInt(line.group(2));
    }

    @Test
    void oneRequestOfPythonFits() {
        int ranges = bound("_MOST_RANGES");
        int chars = bound("_MOST_CHARS");
        String name = "x".repeat(chars / ranges);
        List<RawPath> paths = new ArrayList<>();
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < ranges; i++) {
            paths.add(RawPath.ofText(name));
            pieces.add(new Piece(i, 0, 1));
        }
        new FileOperation(Action.READ, paths, false, DigestKind.NONE, pieces).requireFitting();
    }

    /** The entries of the files take one page. */
    @Test
    void oneRequestOfPythonNeedsNoConfirmation() {
        assertThat(bound("_STEP_BYTES")).isEqualTo((Bounds.MAX_VERIFY_PAGES - 1) * Bounds.MAX_READ_BYTES);
    }
}
