package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code scripts/artifacts} notices a jar of a repository that is not the one in the list. */
final class ArtifactsTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private Path repository = Path.of("unset");
    private Path jar = Path.of("unset");

    /** A repository that has one of the jars in the list: the one that this class path has. */
    @BeforeEach
    void copyOneJar() throws IOException, URISyntaxException {
        repository = at.directory("repository");
        Path used = Path.of(
                Test.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path version = used.getParent();
        jar = repository.resolve("org/junit/jupiter/junit-jupiter-api").resolve(version.getFileName());
        Files.createDirectories(jar);
        jar = Files.copy(used, jar.resolve(used.getFileName()));
    }

    private Shell.Result check(Object... more) {
        Object[] command = new Object[3 + more.length];
        command[0] = Recipe.readme().resolveSibling("scripts/artifacts");
        command[1] = "--repository";
        command[2] = repository;
        System.arraycopy(more, 0, command, 3, more.length);
        return Shell.run(command);
    }

    @Test
    void aChangedJarIsNoticed() throws IOException {
        check().orFail("the jar as it is");
        byte[] content = Files.readAllBytes(jar);
        content[content.length / 2] ^= 1;
        Files.write(jar, content);
        Shell.Result changed = check();
        assertThat(changed.exitCode()).isEqualTo(1);
        assertThat(changed.err()).contains(jar + " is not the file in artifacts.sha256");
    }

    @Test
    void whatIsMissingAndOtherVersionsAreNoFailure() throws IOException {
        Path other = Files.createDirectories(jar.getParent().resolveSibling("0.1"));
        Files.writeString(other.resolve("junit-jupiter-api-0.1.jar"), "of another project");
        Files.delete(jar);
        check().orFail("a repository without any listed file");
    }

    @Test
    void aDownloadThatIsNotInTheListIsNoticed() throws IOException {
        String listed = "https://mirror.example.org/maven2/" + repository.relativize(jar);
        Path log =
                Files.writeString(at.path("log"), "[INFO] Downloaded from central: " + listed + " (1 kB at 2 kB/s)\n");
        assertThat(check("--log", log).err()).doesNotContain(listed);
        Files.writeString(log, Files.readString(log).replace(".jar", "-more.jar"));
        Shell.Result unlisted = check("--log", log);
        assertThat(unlisted.exitCode()).isEqualTo(1);
        assertThat(unlisted.err()).contains(listed.replace(".jar", "-more.jar") + " is not in artifacts.sha256");
    }
}
