package io.fdt.core.transfer.receiving;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TransferPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The receiver's own list decides what is above the target of a pair, and not what the sender says. */
final class TargetsTest {
    @TempDir
    Path temporary;

    /** The link may have come with an earlier copy from the same sender. */
    @Test
    void aSenderCannotLeadThroughALinkBelowAPair() throws IOException {
        Path outside = Files.createDirectories(temporary.resolve("outside"));
        Path target = temporary.resolve("target");
        Files.createDirectories(target.resolve("disk/tree"));
        Path above = Files.createSymbolicLink(target.resolve("out"), Path.of("disk"));
        Path below = Files.createSymbolicLink(target.resolve("disk/tree/sub"), outside);
        List<RawPath> pairs =
                Stream.of("a", "out/tree", "b", "x").map(RawPath::ofText).toList();
        TransferPlan plan = TransferPlan.pull("localhost", 1, "/source", target)
                .with(CopyValue.NAMES, pairs)
                .with(CopyValue.PAIRS, true)
                .with(CopyValue.DURABLE, Durability.NONE);
        EntryMetadata metadata = new EntryMetadata(0755, 0, 0, 0, 0, List.of());
        try (Targets targets = Targets.local(plan)) {
            targets.open(false);
            for (String path : List.of("out", "out/tree", "out/tree/sub", "out/tree/sub/inner")) {
                RawPath place = RawPath.ofText(path);
                FileEntry entry = new FileEntry(place, FileEntry.Kind.DIRECTORY, 0, metadata, false, null).onlyAbove();
                targets.requireRequested(entry);
                targets.prepare(entry);
            }
        }
        assertThat(Files.isSymbolicLink(above)).isTrue();
        assertThat(outside).isEmptyDirectory();
        assertThat(Files.isDirectory(below, LinkOption.NOFOLLOW_LINKS)).isTrue();
        assertThat(below.resolve("inner")).isDirectory();
    }
}
