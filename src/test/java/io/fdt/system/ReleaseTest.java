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
import java.util.regex.Pattern;
import java.util.stream.Stream;
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
        assertThat(entries(Path.of(core + "-javadoc.jar"))).contains("io/fdt/core/Fdt.html", "index.html");
        assertMavenCentralTakes(out.resolve(names.stream()
                .filter(name -> name.endsWith("-central.tar.gz"))
                .findFirst()
                .orElseThrow()));
        assertBareDebianInstallsAndCopies(out);
    }

    /**
     * What https://central.sonatype.org/publish/requirements asks for: of each file two sums and a signature, of each
     * artifact sources and documentation, and of each POM who made it, where it is kept and its licence.
     */
    private void assertMavenCentralTakes(Path bundle) throws IOException {
        Path unpacked = at.directory("central");
        Shell.ok("tar", "-xzf", bundle, "-C", unpacked);
        List<Path> files;
        try (Stream<Path> walked = Files.walk(unpacked)) {
            files = walked.filter(Files::isRegularFile).toList();
        }
        List<String> names = files.stream().map(Path::toString).toList();
        for (Path file : files) {
            if (!file.toString().matches(".*\\.(asc|md5|sha1)")) {
                assertThat(names).contains(file + ".asc", file + ".md5", file + ".sha1");
                assertThat(Shell.ok("sha1sum", file))
                        .startsWith(Files.readString(Path.of(file + ".sha1")).strip());
            }
        }
        for (String module : List.of("fdt-core", "fdt-rdma")) {
            for (String ending : List.of(".jar", "-sources.jar", "-javadoc.jar", ".pom")) {
                assertThat(names)
                        .anyMatch(name -> name.matches(".*/" + module + "-[^/]*[0-9T]" + Pattern.quote(ending)));
            }
        }
        for (Path pom : files) {
            if (pom.toString().endsWith(".pom")) {
                assertThat(pom).content().contains("<name>", "<description>");
            }
            if (pom.toString().matches(".*/fdt-parent-[^/]*\\.pom")) {
                assertThat(pom)
                        .content()
                        .contains(
                                "<url>https://www.apache.org/licenses/",
                                "<developer>",
                                "<scm ",
                                "<connection>scm:git:");
            }
        }
    }

    /** From nothing: a directory with Debian's required packages, in which one line installs. */
    private void assertBareDebianInstallsAndCopies(Path release) throws IOException {
        Path script = at.path("try-bare");
        try (InputStream in = ReleaseTest.class.getResourceAsStream("try-bare")) {
            Files.copy(in, script);
        }
        Shell.ok("unshare", "--mount", "bash", script, release, at.directory("bare"));
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
