package io.fdt.system;

import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Scripts that users run, with small programs in the place of fdt, Java and a scheduler. */
final class ScriptsTest {
    private static final Path REPOSITORY = Recipe.readme().getParent();

    @RegisterExtension
    final Workplace at = new Workplace();

    private static Path program(Path file, String content) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file;
    }

    @Test
    void shellcheckHasNoComplaint() throws IOException {
        List<Object> command = new ArrayList<>(List.of(
                "shellcheck", "-x", "--source-path=SCRIPTDIR", "--source-path=" + REPOSITORY, "--severity=warning"));
        for (String name : Shell.ok("git", "-C", REPOSITORY, "ls-files").lines().toList()) {
            Path file = REPOSITORY.resolve(name);
            if (Files.isRegularFile(file) && isOfAShell(file)) {
                command.add(file);
            }
        }
        assertThat(command).hasSizeGreaterThan(30);
        Shell.ok(command.toArray());
    }

    /** Whatever Maven downloads for a script is compared with the list. */
    @Test
    void scriptsCallMavenByTheFunctionThatComparesItsDownloads() throws IOException {
        List<String> callers = new ArrayList<>();
        for (String name : Shell.ok("git", "-C", REPOSITORY, "ls-files", "scripts", ".ci", "fdt-*/src", "integrations")
                .lines()
                .toList()) {
            Path file = REPOSITORY.resolve(name);
            if (isOfAShell(file)
                    && Files.readString(file).lines().anyMatch(line -> line.matches("\\s*(exec )?mvn .*"))) {
                callers.add(name);
            }
        }
        assertThat(callers).containsExactly("scripts/lib-maven.sh");
    }

    private static boolean isOfAShell(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            String start = new String(in.readNBytes(100), StandardCharsets.ISO_8859_1);
            return start.matches("(?s)(#!\\S*[/ ](env )?(ba|da|busybox )?sh\\b|# shellcheck shell=).*");
        }
    }

    /** Makes a release with one archive, whose fdt and archive-classes do nothing. */
    private Path release() throws IOException {
        Path release = at.directory("release");
        program(release.resolve("fdt-1.0/bin/fdt"), "echo fdt 1.0\n");
        program(release.resolve("fdt-1.0/lib/archive-classes"), "");
        Files.createFile(at.directory("release/fdt-1.0/share/man/man1").resolve("fdt.1"));
        Files.copy(REPOSITORY.resolve("scripts/package-src/install.sh"), release.resolve("install.sh"));
        Shell.ok(
                "sh",
                "-c",
                "cd \"$1\" && tar -czf fdt-1.0.tar.gz fdt-1.0 && sha256sum * >SHA256SUMS 2>&-; rm -r fdt-1.0",
                "sh",
                release);
        return release;
    }

    @Test
    void installsBelowAPrefixOfTheUsersDirectory() throws IOException {
        Path release = release();
        Path here = at.directory("here");
        Shell.ok("sh", "-c", "cd \"$1\" && sh ../release/install.sh 'my own'", "sh", here);
        assertThat(Shell.ok(here.resolve("my own/bin/fdt"))).isEqualTo("fdt 1.0\n");
        assertThat(release.resolve("my own")).doesNotExist();
    }

    @Test
    void installsForAllUsersWhateverTheUmaskIs() throws IOException {
        Path release = release();
        Shell.ok("sh", "-c", "umask 077; sh \"$1/install.sh\" \"$2\"", "sh", release, at.path("prefix"));
        for (String directory : new String[] {"", "bin", "lib", "lib/fdt-1.0"}) {
            assertThat(PosixFilePermissions.toString(
                            Files.getPosixFilePermissions(at.path("prefix").resolve(directory))))
                    .as(directory)
                    .isEqualTo("rwxr-xr-x");
        }
    }

    @Test
    void aClassArchiveIsMadeInADirectoryWithABlank() throws IOException {
        // Its dump writes the archive that its options name.
        Path java = program(at.path("java"), """
                for word; do case $word in
                    -XX:DumpLoadedClassList=*) : >"${word#*=}" ;;
                    -XX:SharedArchiveFile=*) echo archive >"${word#*=}" ;;
                    server) echo '"port":1'; exec sleep 20 ;;
                    --mistake) exit 2 ;;
                esac; done
                """);
        Path archive = at.directory("a place").resolve("fdt.jsa");
        Shell.ok(
                "sh",
                REPOSITORY.resolve("fdt-cli/src/main/resources/io/fdt/cli/archive-classes"),
                java,
                "jar",
                archive);
        assertThat(archive).hasContent("archive\n");
    }

    /** A node that Slurm gave up too early still writes the files. */
    @Test
    void aShardTriesAgainWhenAnotherRunHoldsItsFiles() throws IOException {
        Path work = at.directory("work");
        Files.copy(REPOSITORY.resolve("scripts/slurm/lib-task.sh"), work.resolve("lib-task.sh"));
        Files.writeString(work.resolve("targets"), "fdt://h/\n");
        Path tried = at.path("tried");
        Path fdt =
                program(at.path("bin/fdt"), "echo >>'%s'; [ $(wc -l <'%s') = 3 ] || exit 11\n".formatted(tried, tried));
        Files.writeString(work.resolve("fdt"), fdt + "\n");
        program(at.path("bin/sleep"), "");
        Shell.ok(
                "env",
                "PATH=" + fdt.getParent() + ":" + System.getenv("PATH"),
                "SLURM_ARRAY_TASK_ID=0",
                "bash",
                REPOSITORY.resolve("scripts/slurm/shard.sbatch"),
                work);
        assertThat(tried).hasContent("\n\n\n");
    }

    @Test
    void aJarIsTakenFromTheUsersDirectory() throws IOException {
        Path here = at.directory("here");
        Files.createFile(here.resolve("my.jar"));
        Path java = program(
                at.path("jdk/bin/java"),
                "for word; do case $word in *.jar) echo \"$word\" >&2; exit 1 ;; esac; done\n");
        program(at.path("jdk/bin/javac"), "");
        Files.writeString(at.path("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
        Shell.Result install = Shell.run(
                "env",
                "JAVA_HOME=" + java.getParent().getParent(),
                "sh",
                "-c",
                "cd \"$1\" && \"$2\" --jar my.jar \"$3\"",
                "sh",
                here,
                REPOSITORY.resolve("scripts/install"),
                at.path("prefix"));
        assertThat(install.err()).isEqualTo(here.resolve("my.jar") + "\n");
    }

    /** The section of the first release was written by hand. */
    @Test
    void changesGoIntoTheSectionOfTheirVersion() throws IOException {
        Path checkout = at.directory("checkout");
        Path scripts = at.directory("checkout/scripts");
        for (String name : List.of("release", "lib-install.sh", "lib-prefix.sh", "lib-maven.sh")) {
            Files.copy(REPOSITORY.resolve("scripts").resolve(name), scripts.resolve(name), COPY_ATTRIBUTES);
        }
        Files.writeString(checkout.resolve("pom.xml"), "    <version>1.1.0</version>\n");
        Path changelog = checkout.resolve("CHANGELOG.md");
        Files.writeString(changelog, "# Changelog\n\nIntroduction.\n\n## 1.0.0\n\n- old\n");
        Path waiting = at.directory("checkout/changelog");
        Shell.ok("git", "init", "-q", checkout);

        Files.writeString(waiting.resolve("one.md"), "- one\n");
        Shell.ok(scripts.resolve("release"), "--changelog");
        Files.writeString(waiting.resolve("two.md"), "- two\n");
        Shell.ok(scripts.resolve("release"), "--changelog");

        assertThat(waiting).isEmptyDirectory();
        assertThat(changelog).hasContent("""
                # Changelog

                Introduction.

                ## 1.1.0

                - one

                ### Changes

                - two

                ## 1.0.0

                - old
                """);
        Files.writeString(waiting.resolve("three.md"), "- three\n");
        Shell.ok(
                "sh",
                "-c",
                "cd \"$1\" && git add . && git -c user.name=a -c user.email=a@b commit -qm a && git tag v1.1.0",
                "sh",
                checkout);
        Shell.Result released = Shell.run(scripts.resolve("release"), "--changelog");
        assertThat(released.exitCode()).isEqualTo(1);
        assertThat(released.err()).contains("1.1.0 was released");
    }
}
