package io.fdt.core.storage.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Root reads and appends to files that it was told to, and to none that another user's link leads to. */
class NamedFileTest {
    @TempDir
    Path directory;

    private Path secret;

    @BeforeEach
    void makeFiles() throws IOException {
        secret = Files.writeString(
                Files.createDirectory(directory.resolve("root")).resolve("secret"), "s");
        Files.createSymbolicLink(directory.resolve("link"), secret);
        Files.createSymbolicLink(directory.resolve("new"), Path.of("root/made"));
        Files.createSymbolicLink(directory.resolve("folder"), Path.of("root/../root"));
    }

    private static String read(Path file) throws IOException {
        try (Descriptor opened = NamedFile.openToRead(file)) {
            return Files.readString(NamedFile.reopened(opened));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"root/secret", "link", "folder/secret", "./root/../folder/../link"})
    void followsLinksOfThisUser(String name) throws IOException {
        assertThat(read(directory.resolve(name))).isEqualTo("s");
    }

    @Test
    void createsWhatALinkOfThisUserLeadsTo() throws IOException {
        NamedFile.openToAppend(directory.resolve("new"), 0640).close();
        assertThat(directory.resolve("root/made")).isEmptyFile();
    }

    @ParameterizedTest
    @ValueSource(strings = {"link", "folder/secret", "./root/../folder/../link"})
    void followsNoLinkOfAnotherUser(String name) throws IOException {
        Assumptions.assumeTrue(FileMetadata.isRoot(), "needs root");
        for (String link : new String[] {"link", "new", "folder"}) {
            Files.setAttribute(directory.resolve(link), "unix:uid", 4242, LinkOption.NOFOLLOW_LINKS);
        }
        assertThatThrownBy(() -> read(directory.resolve(name)))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("another user made");
        assertThatThrownBy(() -> NamedFile.openToAppend(directory.resolve(name), 0640))
                .hasMessageContaining("another user made");
        assertThatThrownBy(() -> NamedFile.openToAppend(directory.resolve("new"), 0640))
                .hasMessageContaining("another user made");
        assertThat(directory.resolve("root/made")).doesNotExist();
    }

    @Test
    void reportsWhatDoesNotExist() {
        assertThatThrownBy(() -> read(directory.resolve("nothing/here"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void opensWhatTheKernelNames() throws IOException {
        assertThat(read(Path.of("/dev/null"))).isEmpty();
        Files.createSymbolicLink(directory.resolve("log"), Path.of("/dev/stderr"));
        NamedFile.openToAppend(directory.resolve("log"), 0640).close();
        NamedFile.openToAppend(Path.of("/dev/stderr"), 0640).close();
    }
}
