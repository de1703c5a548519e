package io.fdt.core.nativecode;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.JarURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the libraries of a jar are unpacked, and which directories are not used for that. */
class LibraryCacheTest {
    private static final String CONTENT = "not really a library";

    @TempDir
    Path temporary;

    private JarURLConnection library(String content) throws IOException {
        Path jar = Files.createTempFile(temporary, "of", ".jar");
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out)) {
            entries.putNextEntry(new JarEntry("a/libx.so"));
            entries.write(content.getBytes(StandardCharsets.US_ASCII));
        }
        return (JarURLConnection)
                URI.create("jar:" + jar.toUri() + "!/a/libx.so").toURL().openConnection();
    }

    private Path fileFor(Map<String, String> environment) throws IOException {
        return new LibraryCache(environment).file("libx.so", library(CONTENT));
    }

    private Path cached() throws IOException {
        return fileFor(Map.of("XDG_CACHE_HOME", temporary.resolve("cache").toString()));
    }

    private static List<Path> filesIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    @Test
    void unpacksOnceIntoADirectoryOfThisUserAlone() throws IOException {
        Path file = cached();

        assertThat(file).hasParent(temporary.resolve("cache/fdt")).hasContent(CONTENT);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
                .isEqualTo("rwx------");
        Object first = Files.getAttribute(file, "unix:ino");
        assertThat(cached()).isEqualTo(file);
        assertThat(Files.getAttribute(file, "unix:ino")).isEqualTo(first);
        assertThat(filesIn(file.getParent())).containsExactly(file);
    }

    @Test
    void otherVersionOfALibraryGetsAnotherFileName() throws IOException {
        Path file = cached();
        Path other = new LibraryCache(
                        Map.of("XDG_CACHE_HOME", temporary.resolve("cache").toString()))
                .file("libx.so", library("of the next release"));

        assertThat(other).isNotNull().isNotEqualTo(file).hasParent(file.getParent());
        assertThat(file).hasContent(CONTENT);
    }

    @Test
    void replacesADamagedFile() throws IOException {
        Path file = cached();
        for (String damaged : List.of("", CONTENT.substring(1), CONTENT.replace('n', 'm'))) {
            Files.writeString(file, damaged);
            assertThat(cached()).isEqualTo(file).hasContent(CONTENT);
        }
        Path target = Files.writeString(temporary.resolve("target"), CONTENT);
        Files.delete(file);
        Files.createSymbolicLink(file, target);
        assertThat(cached()).isEqualTo(file);
        assertThat(Files.isSymbolicLink(file)).isFalse();
    }

    @Test
    void isBelowTheHomeWithoutAnAbsoluteCacheDirectory() throws IOException {
        Path home = Files.createDirectory(temporary.resolve("home"));
        for (String cache : List.of("", "relative")) {
            assertThat(fileFor(Map.of("HOME", home.toString(), "XDG_CACHE_HOME", cache)))
                    .hasParent(home.resolve(".cache/fdt"));
        }
        assertThat(fileFor(Map.of())).isNull();
    }

    @Test
    void doesNotUseADirectoryThatOthersCanAccessOrThatIsALink() throws IOException {
        Path directory = Files.createDirectories(temporary.resolve("cache/fdt"));
        for (String mode : List.of("rwxr-xr-x", "rwxrwx---", "rwx----w-")) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(mode));
            assertThat(cached()).as(mode).isNull();
        }
        assertThat(filesIn(directory)).isEmpty();
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        assertThat(cached()).isNotNull();
        Files.move(directory, temporary.resolve("elsewhere"));
        Files.createSymbolicLink(directory, temporary.resolve("elsewhere"));
        assertThat(cached()).isNull();
    }

    /** Only root can give a directory away; for all others, one of root serves as well. */
    @Test
    void doesNotUseOrCreateADirectoryOfAnotherUser() throws IOException {
        Path directory = Files.createDirectories(temporary.resolve("cache/fdt"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        if (Libc.geteuid() == 0) {
            Files.setAttribute(directory, "unix:uid", 65_534);
            assertThat(cached()).isNull();
            Path home = Files.createDirectory(temporary.resolve("home"));
            Files.setAttribute(home, "unix:uid", 65_534);
            assertThat(fileFor(Map.of("HOME", home.toString()))).isNull();
            assertThat(home).isEmptyDirectory();
        } else {
            assertThat(fileFor(Map.of("XDG_CACHE_HOME", "/"))).isNull();
        }
    }

    @Test
    void returnsNoFileIfTheDirectoryCannotBeCreated() throws IOException {
        Path file = Files.writeString(temporary.resolve("file"), "");
        assertThat(fileFor(Map.of("XDG_CACHE_HOME", file.toString()))).isNull();
    }
}
