package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The release that {@code scripts/release} makes from the jar, as those who take it from a server find it. */
@Tag("packages")
@Order(5)
final class ReleaseTest {
    private static final String SIGNER = "fdt test <test@example.org>";

    @RegisterExtension
    final Workplace at = new Workplace();

    /** A release has everything that a package has, and the library as Maven and readers of its source expect it. */
    @Test
    void releaseHasNotesAndTheLibraryForMaven() throws IOException {
        Path out = at.path("release");
        Path keys = at.directory("gpg");
        Shell.ok("chmod", "700", keys);
        Shell.ok(
                "gpg",
                "--homedir",
                keys,
                "--batch",
                "--passphrase",
                "",
                "--quick-generate-key",
                SIGNER,
                "rsa3072",
                "sign");
        List<Object> release = new ArrayList<>(List.of("env", "GNUPGHOME=" + keys));
        release.addAll(PackageTest.script(
                "scripts/release", "--no-runtime", "--jar", Workplace.jar(), "--out", out, "--sign", SIGNER));
        String listed = Shell.ok(release.toArray());
        assertRepositoriesServe(out);
        assertProvenance(out);
        List<String> names = PackageTest.files(out);
        assertThat(names)
                .contains("NOTES.md", "SHA256SUMS", "SHA256SUMS.asc", "repository")
                .anyMatch(name -> name.endsWith(".deb"));
        assertThat(listed).contains(names);
        String checked = Shell.ok("sh", "-c", "cd '" + out + "' && sha256sum -c SHA256SUMS");
        assertThat(checked.lines())
                .hasSize(names.size() - 3)
                .allSatisfy(line -> assertThat(line).endsWith(": OK"));
        assertThat(out.resolve("NOTES.md"))
                .content()
                .startsWith("# fdt ")
                .contains(
                        "\n- ",
                        "Commit "
                                + Shell.ok("git", "-C", PackageTest.REPOSITORY, "rev-parse", "HEAD")
                                        .strip());

        String archive = names.stream()
                .filter(name -> name.endsWith("-maven-repository.tar.gz"))
                .findFirst()
                .orElseThrow();
        Path unpacked = at.directory("maven");
        Shell.ok("tar", "-xzf", out.resolve(archive), "-C", unpacked);
        String version = archive.replaceAll("^fdt-|-maven-repository.*$", "");
        Path core = unpacked.resolve("maven-repository/io/fdt/fdt-core/" + version + "/fdt-core-" + version);
        assertThat(Path.of(core + ".pom")).content().contains("<artifactId>fdt-core</artifactId>");
        assertThat(entries(Path.of(core + ".jar"))).contains("io/fdt/core/Fdt.class");
        assertThat(entries(Path.of(core + "-sources.jar"))).contains("io/fdt/core/Fdt.java");
        assertThat(unpacked.resolve(
                        "maven-repository/io/fdt/fdt-parent/" + version + "/fdt-parent-" + version + ".pom"))
                .content()
                .contains("<artifactId>fdt-parent</artifactId>");
    }

    /** As https://in-toto.io/Statement/v1 and https://slsa.dev/provenance/v1 have it, for the files as they are. */
    private static void assertProvenance(Path release) {
        String name = PackageTest.files(release).stream()
                .filter(file -> file.endsWith(".provenance.json"))
                .findFirst()
                .orElseThrow();
        Map<String, Object> statement = Json.object(Trees.text(release.resolve(name)));
        assertThat(statement)
                .containsEntry("_type", "https://in-toto.io/Statement/v1")
                .containsEntry("predicateType", "https://slsa.dev/provenance/v1");
        List<String> subjects = ((List<?>) statement.get("subject"))
                .stream()
                        .map(each -> in(each, "digest", "sha256") + "  " + in(each, "name"))
                        .toList();
        List<String> sums = Trees.text(release.resolve("SHA256SUMS")).lines().toList();
        assertThat(sums).anyMatch(line -> line.endsWith("  " + name));
        assertThat(subjects)
                .containsExactlyElementsOf(sums.stream()
                        .filter(line -> !line.endsWith("  " + name))
                        .toList());
        Object definition = in(statement, "predicate", "buildDefinition");
        assertThat(in(definition, "buildType").toString()).startsWith("https://");
        assertThat(in(definition, "externalParameters", "command").toString()).startsWith("[scripts/release, ");
        Object source = ((List<?>) in(definition, "resolvedDependencies")).get(0);
        assertThat(in(source, "digest", "gitCommit"))
                .isEqualTo(Shell.ok("git", "-C", PackageTest.REPOSITORY, "rev-parse", "HEAD")
                        .strip());
        assertThat(in(statement, "predicate", "runDetails", "builder", "id").toString())
                .startsWith("https://");
    }

    private static Object in(Object object, String... keys) {
        Object value = object;
        for (String key : keys) {
            value = ((Map<?, ?>) value).get(key);
        }
        return value;
    }

    /** Both clients find the package, and accept it by its signature only. */
    private void assertRepositoriesServe(Path release) throws IOException {
        Path script = at.path("try-repositories");
        try (InputStream in = ReleaseTest.class.getResourceAsStream("try-repositories")) {
            Files.copy(in, script);
        }
        Shell.ok("bash", script, release, at.directory("clients"));
    }

    private static List<String> entries(Path jar) throws IOException {
        try (ZipFile file = new ZipFile(jar.toFile())) {
            return file.stream().map(ZipEntry::getName).toList();
        }
    }
}
