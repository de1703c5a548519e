package io.fdt.core.storage.posix;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.plan.RawPath;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the kernel reports of the files in a directory. */
final class TreeWatchTest {
    @TempDir
    Path directory;

    private TreeWatch watch;

    private static final class Reported implements TreeWatch.Events {
        final List<String> events = new ArrayList<>();

        @Override
        public void onClosed(RawPath file) {
            events.add("closed " + file.text());
        }

        @Override
        public void onCreated(RawPath file) {
            events.add("created " + file.text());
        }

        @Override
        public void onOpened(RawPath file) {
            events.add("opened " + file.text());
        }

        @Override
        public void onDirectory(RawPath found) {
            events.add("directory " + found.text());
        }

        @Override
        public void onLost() {
            events.add("lost");
        }
    }

    @BeforeEach
    void watch() {
        watch = new TreeWatch(RawPath.of(directory));
        watch.add(RawPath.EMPTY);
    }

    @AfterEach
    void close() {
        watch.close();
    }

    /** Events are in the queue when the call that causes them returns. */
    private List<String> reported(RawPath... unread) {
        Reported all = new Reported();
        int before = -1;
        while (all.events.size() > before) {
            before = all.events.size();
            watch.await(-1, 0);
            watch.report(all, Set.of(unread));
        }
        return all.events;
    }

    private static void setMode(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    @Test
    void aFileThatAProcessMakesIsOpenedAndALinkToOneIsNot(@TempDir Path elsewhere) throws IOException {
        Path made = Files.writeString(elsewhere.resolve("made"), "1");
        Files.createLink(directory.resolve("link"), made);
        assertThat(reported()).containsExactly("created link");
        Files.writeString(directory.resolve("file"), "1");
        assertThat(reported()).containsExactly("created file", "opened file", "closed file");
    }

    @Test
    void aDirectoryThatCouldNotBeReadIsReportedWhenItsPermissionsChange() throws IOException {
        Path closed = Files.createDirectory(directory.resolve("closed"));
        Path other = Files.createDirectory(directory.resolve("other"));
        reported();
        setMode(closed, "r-xr-xr-x");
        setMode(other, "r-xr-xr-x");
        assertThat(reported(RawPath.ofText("closed"))).containsExactly("directory closed");
        setMode(directory, "rwxr-xr-x");
        assertThat(reported(RawPath.EMPTY)).containsExactly("directory ");
    }

    private static int maxQueuedEvents() throws IOException {
        // Such a file gives all it has to the first read.
        try (BufferedReader setting = Files.newBufferedReader(Path.of("/proc/sys/fs/inotify/max_queued_events"))) {
            return Integer.parseInt(setting.readLine());
        }
    }

    @Test
    void openingEachDirectoryThatIsAddedLosesNoEvents() throws IOException {
        List<Path> opened = List.of(
                Files.createDirectory(directory.resolve("one")), Files.createDirectory(directory.resolve("two")));
        assertThat(reported()).containsExactly("directory one", "directory two");
        Files.writeString(directory.resolve("before"), "1");
        int events = maxQueuedEvents();
        // Each is an event of the directory and one of the directory that it is in.
        for (int i = 0; i < events; i++) {
            Path each = opened.get(i % 2);
            watch.add(RawPath.of(each.getFileName()));
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(each)) {
                assertThat(entries).isEmpty();
            }
            if (i == events / 2) {
                Files.writeString(directory.resolve("between"), "1");
            }
        }
        assertThat(reported())
                .containsExactly(
                        "created before",
                        "opened before",
                        "closed before",
                        "created between",
                        "opened between",
                        "closed between");
    }

    @Test
    void moreEventsThanTheKernelKeepsAreLost() throws IOException {
        int kept = maxQueuedEvents();
        Path one = Files.createFile(directory.resolve("one"));
        Path two = Files.createFile(directory.resolve("two"));
        for (int i = 0; i < kept; i += 2) {
            Files.newOutputStream(one).close();
            Files.newOutputStream(two).close();
        }
        assertThat(reported()).hasSizeLessThanOrEqualTo(kept + 1).endsWith("lost");
        Files.newOutputStream(one).close();
        assertThat(reported()).containsExactly("opened one", "closed one");
    }
}
