package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The packages that {@code scripts/package} makes from the jar: unpacked, installed and run as a user would. */
@Tag("packages")
@Order(5)
final class PackageTest {
    /** The packages, shared by all tests: building them is most of the tests' time. */
    private static Path made = Path.of("/nonexistent");

    private static final String MACHINE = System.getProperty("os.arch").replace("amd64", "x86_64");

    static final Path REPOSITORY = Recipe.readme().getParent();

    /** The output of the build of the packages. */
    private static String said = "";

    @RegisterExtension
    final Workplace at = new Workplace();

    @BeforeAll
    static void packageTheJar() throws IOException {
        String other = System.getProperty("os.arch").equals("aarch64") ? "x86_64" : "aarch64";
        for (String tool : List.of(
                "dpkg-deb",
                "rpmbuild",
                "dnf",
                "cpio",
                "objcopy",
                "man",
                "zsh",
                "fish",
                "git",
                "runc",
                other + "-linux-gnu-gcc")) {
            assertThat(Shell.run("which", tool).exitCode()).as(tool).isZero();
        }
        made = Files.createTempDirectory("fdt-package");
        said = make(made.resolve("out"));
    }

    @AfterAll
    static void remove() {
        if (Files.exists(made)) {
            Shell.removeTree(made);
        }
    }

    @Test
    void namesEveryFileInItsChecksums() {
        List<String> names = files(made.resolve("out"));
        assertThat(names)
                .anyMatch(name -> name.matches("fdt-[^_]+\\.tar\\.gz"))
                .anyMatch(name -> name.matches("fdt-.+-linux-" + MACHINE + "\\.tar\\.gz"))
                .anyMatch(name -> name.matches("fdt-.+-linux-aarch64\\.tar\\.gz"))
                .anyMatch(name -> name.matches("fdt-.+-image-(amd64|arm64)\\.tar"))
                .anyMatch(name -> name.matches("fdt_.+_all\\.deb"))
                .anyMatch(name -> name.matches("fdt-.+\\.noarch\\.rpm"))
                .anyMatch(name -> name.matches("fdt-gfal2_.+_(amd64|arm64)\\.deb"))
                .anyMatch(name -> name.matches("fdt-gfal2-.+\\." + MACHINE + "\\.rpm"))
                .anyMatch(name -> name.matches("fdt_client-.+-py3-none-any\\.whl"))
                .anyMatch(name -> name.matches("fdt_client-.+\\.tar\\.gz"))
                .anyMatch(name -> name.matches("snakemake_storage_plugin_fdt-.+-py3-none-any\\.whl"))
                .anyMatch(name -> name.matches("snakemake_storage_plugin_fdt-.+\\.tar\\.gz"));
        String checked = Shell.ok("sh", "-c", "cd '" + made.resolve("out") + "' && sha256sum -c SHA256SUMS");
        assertThat(checked.lines())
                .hasSize(names.size() - 1)
                .allSatisfy(line -> assertThat(line).endsWith(": OK"));
    }

    @Test
    void buildIsReproducible() throws IOException {
        make(made.resolve("again"), "--no-runtime");
        List<String> names = files(made.resolve("again"));
        names.remove("SHA256SUMS");
        assertThat(names).hasSize(10);
        for (String name : names) {
            assertThat(Files.mismatch(
                            made.resolve("again").resolve(name),
                            made.resolve("out").resolve(name)))
                    .as(name)
                    .isEqualTo(-1);
        }
    }

    /** The printed commands can be run as they are. */
    @Test
    void saysWhatItBuiltAndHowToInstallIt() throws IOException {
        assertThat(said).contains("Built in " + made.resolve("out") + ":");
        for (String name : files(made.resolve("out"))) {
            assertThat(said).contains("  " + name + " ");
        }
        Path opt = at.directory("opt");
        Path local = at.directory("local");
        List<String> lines = said.lines()
                .filter(line -> line.startsWith("  tar "))
                .map(line -> line.replace("/opt", opt.toString()).replace("/usr/local", local.toString()))
                .toList();
        assertThat(lines).hasSize(2);
        for (String line : lines) {
            Shell.ok("bash", "-c", line);
            Path installed = local.resolve("bin/fdt").toRealPath();
            Shell.ok(
                    "env",
                    "JAVA_HOME=" + System.getProperty("java.home"),
                    installed.resolveSibling("../lib/archive-classes"));
            assertManualsCompletionsAndArchive(local);
        }
    }

    @Test
    void registriesTakeThePackagesOfPython() {
        List<Path> packages = files(made.resolve("out")).stream()
                .filter(name -> name.matches("(fdt_client|snakemake).*"))
                .map(made.resolve("out")::resolve)
                .toList();
        assertThat(packages).hasSize(4);
        for (Path each : packages) {
            Shell.ok(Integrations.python(), "-m", "twine", "check", "--strict", each);
        }
    }

    @Test
    void wheelInstallsWithItsCommands() {
        Path python = at.path("python");
        Shell.ok("python3", "-m", "venv", python);
        Path wheel = made.resolve("out")
                .resolve(files(made.resolve("out")).stream()
                        .filter(name -> name.matches("fdt_client.*\\.whl"))
                        .findAny()
                        .orElseThrow());
        Shell.ok(python.resolve("bin/pip"), "-q", "--disable-pip-version-check", "install", "--no-index", wheel);
        Shell.ok(python.resolve("bin/pip"), "--disable-pip-version-check", "check");

        assertThat(python.resolve("bin/git-annex-remote-fdt")).isExecutable();
        assertThat(python.resolve("bin/fdt-condor-plugin")).isExecutable();
        assertThat(python.resolve("bin/fdt-pscheduler")).isExecutable();
        assertThat(Shell.ok(
                        python.resolve("bin/python"),
                        "-c",
                        "import fdt_client, fdt_client.aio; print(fdt_client.Client)"))
                .contains("fdt_client.client.Client");
    }

    @Test
    void installsBelowAPrefixAndIsUndone() throws IOException {
        Path prefix = at.directory("prefix");
        Files.createDirectories(prefix.resolve("bin"));
        Files.writeString(prefix.resolve("bin/other"), "");
        List<String> before = tree(prefix);
        List<Object> install = script("scripts/install", "--jar", Workplace.jar(), prefix);
        assertThat(Shell.ok(install.toArray())).contains("installed fdt ", "scripts/install --undo " + prefix);
        // Install again, as an upgrade does.
        Shell.ok(install.toArray());

        assertThat(run(prefix.resolve("bin/fdt"), Map.of("JAVA_HOME", System.getProperty("java.home")))
                        .out())
                .matches("fdt \\S+\n");
        assertManualsCompletionsAndArchive(prefix);

        Shell.ok(script("scripts/install", "--undo", prefix).toArray());
        assertThat(tree(prefix)).isEqualTo(before);
        assertThat(Shell.run(script("scripts/install", "--undo", prefix).toArray())
                        .err())
                .isEqualTo("install: scripts/install has installed nothing in " + prefix + "\n");
    }

    /** What a user has after each way to install: {@code man fdt}, completions of each shell, and quick starts. */
    private static void assertManualsCompletionsAndArchive(Path prefix) {
        String path = "PATH=" + prefix.resolve("bin") + ":" + System.getenv("PATH");
        assertThat(Shell.ok("env", path, "man", "fdt-client")).contains("--rate-limit RATE");
        String data = "XDG_DATA_DIRS=" + prefix.resolve("share") + ":/usr/share";
        assertThat(Shell.ok("env", path, data, "fish", "-c", "complete -C 'fdt nette'"))
                .startsWith("nettest");
        String directory = prefix.resolve("share/zsh/site-functions").toString();
        assertThat(Shell.ok(
                        "zsh",
                        "-fc",
                        "fpath+=($1); autoload -U compinit; compinit -D; echo $_comps[fdt]",
                        "zsh",
                        directory))
                .isEqualTo("_fdt\n");
        Shell.ok("bash", "-n", prefix.resolve("share/bash-completion/completions/fdt"));
        String java = "JAVA_HOME=" + System.getProperty("java.home");
        String loaded =
                Shell.ok("env", java, "FDT_JAVA_OPTIONS=-Xlog:class+load", prefix.resolve("bin/fdt"), "--version");
        assertThat(loaded).contains("Main source: shared objects file");
    }

    @Test
    void doesNotReplaceAnFdtThatItDidNotInstall() throws IOException {
        Path prefix = at.directory("prefix");
        Path other = Files.createDirectories(prefix.resolve("bin")).resolve("fdt");
        Files.writeString(other, "another");

        Shell.Result refused = Shell.run(
                script("scripts/install", "--jar", Workplace.jar(), prefix).toArray());

        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).contains(other + " exists and was not installed by this script");
        assertThat(other).hasContent("another");
    }

    private static List<String> tree(Path root) throws IOException {
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.map(path -> root.relativize(path).toString()).sorted().toList();
        }
    }

    @Test
    void findsAJavaThatIsNewEnough() throws IOException {
        Path fdt = unpacked(false).resolve("bin/fdt");
        Path java = Path.of(System.getProperty("java.home"));
        assertThat(run(fdt, Map.of("JAVA_HOME", java.toString())).out()).matches("fdt \\S+\n");
        // A Java that is too old is ignored if another one is found, and refused if it was requested explicitly.
        Path old = at.directory("old");
        Files.createDirectories(old.resolve("bin"));
        Files.writeString(old.resolve("release"), "JAVA_VERSION=\"11.0.2\"\n");
        Files.createSymbolicLink(old.resolve("bin/java"), Path.of("/bin/false"));
        Map<String, String> path =
                Map.of("JAVA_HOME", old.toString(), "PATH", java.resolve("bin") + ":" + System.getenv("PATH"));
        assertThat(run(fdt, path).out()).matches("fdt \\S+\n");
        Shell.Result refused = run(fdt, Map.of("FDT_JAVA_HOME", old.toString()));
        assertThat(refused.exitCode()).isEqualTo(127);
        assertThat(refused.err()).isEqualTo("fdt: FDT_JAVA_HOME=" + old + " contains no Java 17 or later\n");
        Path link = at.path("linked");
        Files.createSymbolicLink(link, fdt);
        assertThat(run(link, Map.of("FDT_JAVA_HOME", java.toString())).out()).matches("fdt \\S+\n");
        assertThat(run(link, Map.of("FDT_JAVA_HOME", java.toString(), "FDT_JAVA_OPTIONS", "-Xmx64m -showversion"))
                        .err())
                .contains("Runtime Environment");
    }

    @Test
    void copiesWithTheFirstCompilerAloneUnlessJavaHashes() throws IOException {
        Path fdt = unpacked(false).resolve("bin/fdt");
        assertThat(compilers(fdt, "client", "--help")).isEqualTo("1");
        assertThat(compilers(fdt, "client", "--digest", "sha256", "--help")).isEqualTo("4");
        assertThat(compilers(fdt, "server", "--help")).isEqualTo("4");
        assertThat(compilers(fdt, "ls", "--help")).isEqualTo("1");
    }

    /** Returns the highest JIT compilation level that the launcher allows for a command. */
    private static String compilers(Path fdt, String... command) {
        List<String> line = new ArrayList<>(List.of(
                "env",
                "JAVA_HOME=" + System.getProperty("java.home"),
                "FDT_JAVA_OPTIONS=-XX:+PrintFlagsFinal",
                fdt.toString()));
        line.addAll(List.of(command));
        return Shell.ok((Object[]) line.toArray(String[]::new))
                .lines()
                .filter(flag -> flag.contains(" TieredStopAtLevel "))
                .map(flag -> flag.replaceAll(".*= (\\d+) .*", "$1"))
                .findFirst()
                .orElse("not said");
    }

    @Test
    void usesTheClassDataArchiveIfItMatches() throws IOException {
        Path root = unpacked(false);
        Path java = Path.of(System.getProperty("java.home"));
        Shell.ok("env", "JAVA_HOME=" + java, root.resolve("lib/archive-classes"));
        Path fdt = root.resolve("bin/fdt");
        Map<String, String> shown = Map.of("JAVA_HOME", java.toString(), "FDT_JAVA_OPTIONS", "-Xlog:class+load");
        assertThat(run(fdt, shown).out()).contains("io.fdt.cli.Main source: shared objects file");
        // As after an upgrade that did not create a new archive.
        Files.setLastModifiedTime(root.resolve("lib/fdt.jar"), FileTime.fromMillis(1));
        assertThat(run(fdt, shown).out()).contains("io.fdt.cli.Main source: file:");
        Shell.Result quiet = run(fdt, Map.of("JAVA_HOME", java.toString()));
        assertThat(quiet.out()).matches("fdt \\S+\n");
        assertThat(quiet.err()).isEmpty();
    }

    @Test
    void hasManualsCompletionsUnitsAndDashboards() throws IOException {
        Path root = unpacked(false);
        assertThat(Shell.ok("man", "-l", root.resolve("share/man/man1/fdt-client.1")))
                .contains("--rate-limit RATE");
        Shell.ok("bash", "-n", root.resolve("share/bash-completion/completions/fdt"));
        assertThat(root.resolve("share/zsh/site-functions/_fdt")).content().startsWith("#compdef fdt\n");
        assertThat(root.resolve("share/fish/vendor_completions.d/fdt.fish")).isNotEmptyFile();
        assertThat(root.resolve("lib/systemd/system/fdt-server.service"))
                .content()
                .contains("ExecStart=/usr/bin/fdt server $FDT_SERVER_OPTIONS", "EnvironmentFile=-/etc/default/fdt")
                .contains("SystemCallFilter=landlock_create_ruleset landlock_add_rule landlock_restrict_self");
        assertThat(root.resolve("lib/firewalld/services/fdt.xml")).content().contains("port=\"27321\"");
        assertThat(root.resolve("share/fdt/dashboards/grafana/host.json")).isNotEmptyFile();
        assertThat(root.resolve("share/fdt/slurm/copy")).isExecutable();
        assertThat(root.resolve("share/fdt/slurm/shard.sbatch")).isNotEmptyFile();
        assertThat(root.resolve("share/fdt/kubernetes/shards.yaml")).isNotEmptyFile();
        assertThat(root.resolve("share/fdt/gfal2")).isDirectoryContaining("glob:**plugin.c");
        assertThat(root.resolve("share/doc/fdt/THIRD-PARTY-NOTICES.md")).isNotEmptyFile();
        assertThat(root.resolve("LICENSE")).content().contains("Apache License");
        try (ZipFile jar = new ZipFile(root.resolve("lib/fdt.jar").toFile())) {
            assertThat(jar.stream().map(ZipEntry::getName))
                    .contains("META-INF/LICENSE", "META-INF/THIRD-PARTY-NOTICES.md");
        }
    }

    /** With the bundled runtime, on a host without any other Java. */
    @Test
    void copiesAndDrawsWithoutAnyOtherJava() throws IOException {
        Path fdt = unpacked(true).resolve("bin/fdt");
        // Fails if the class-data archive does not match the runtime that it was made for.
        assertThat(run(fdt, Map.of("FDT_JAVA_OPTIONS", "-Xshare:on -showversion"))
                        .err())
                .contains("sharing");
        Path from = OddTree.create(at.path("from"));

        Path to = at.directory("remote");
        FdtServer server = FdtServer.whenReady(
                at.track(FdtProcess.start(setup(
                        fdt,
                        "server",
                        "--json",
                        "--listen",
                        "127.0.0.1:0",
                        "--mode-mask",
                        "000",
                        "--root",
                        to.toString()))),
                to);
        at.track(FdtProcess.start(setup(
                        fdt,
                        "client",
                        "--json",
                        "--preserve",
                        "mode,times,links,xattrs,owner",
                        from + "/",
                        server.url("/copy"))))
                .await(Workplace.LIMIT)
                .expectExit(0);
        Trees.assertSame(from, to.resolve("copy"));
        Path result = at.path("result.json");
        Outcome test = at.track(FdtProcess.start(setup(
                        fdt, "nettest", "--json", "--duration", "1s", "-P", "1", server.host() + ":" + server.port())))
                .await(Workplace.LIMIT)
                .expectExit(0);
        Files.writeString(
                result,
                test.out().stream()
                        .filter(line -> line.contains("\"type\":\"result\""))
                        .findFirst()
                        .orElseThrow());
        Path picture = at.path("result.svg");
        at.track(FdtProcess.start(setup(fdt, "nettest", "report", result.toString(), "--report", picture.toString())))
                .await(Workplace.LIMIT)
                .expectExit(0);
        assertThat(picture).isNotEmptyFile();
    }

    /** With the bundled runtime, under the emulation of a process, which takes some ten times as long. */
    @Test
    void copiesOnAarch64() throws IOException {
        assertThat(Shell.run("which", "qemu-aarch64-static").exitCode()).isZero();
        Path arm = at.directory("aarch64");
        Shell.ok(
                "bash",
                "-c",
                "source \"$1\"; fdt_aarch64_unpack \"$2\" \"${FDT_AARCH64_LIBRARIES[@]}\"",
                "bash",
                REPOSITORY.resolve("scripts/lib-install.sh"),
                arm);
        Path lib = unpacked("-linux-aarch64").resolve("lib");
        Path from = OddTree.create(at.path("from"));
        Path to = at.directory("remote");

        FdtServer server = FdtServer.whenReady(
                at.track(FdtProcess.start(aarch64(
                        arm,
                        lib,
                        "server",
                        "--json",
                        "--listen",
                        "127.0.0.1:0",
                        "--mode-mask",
                        "000",
                        "--root",
                        to.toString()))),
                to);
        String preserved = "mode,times,links,xattrs,owner";
        at.track(FdtProcess.start(
                        aarch64(arm, lib, "client", "--preserve", preserved, from + "/", server.url("/copy"))))
                .await(Workplace.LIMIT)
                .expectExit(0);
        Trees.assertSame(from, to.resolve("copy"));
    }

    /** Its C library is named explicitly: where it is found by a prefix, the emulator changes paths of other files. */
    private FdtProcess.Setup aarch64(Path arm, Path lib, String... arguments) {
        List<String> words = new ArrayList<>(List.of(
                "qemu-aarch64-static",
                arm.resolve("lib/ld-linux-aarch64.so.1").toString(),
                "--library-path",
                arm.resolve("lib/aarch64-linux-gnu") + ":" + arm.resolve("usr/lib/aarch64-linux-gnu"),
                lib.resolve("runtime/bin/java").toString(),
                "-Dfdt.libraries=" + lib.resolve("native"),
                "-jar",
                lib.resolve("fdt.jar").toString()));
        words.addAll(List.of(arguments));
        return new FdtProcess.Setup(
                arguments[0],
                words,
                Map.of("PATH", System.getenv("PATH"), "FDT_HOME", at.home().toString()),
                at.directory());
    }

    @Test
    void installsUpgradesAndLeavesNothingButKeysAndData() throws IOException {
        tryOut("try-deb", built("_all.deb"));
    }

    @Test
    void rpmInstallsVerifiesAndLeavesNothingButKeysAndData() throws IOException {
        tryOut("try-rpm", built(".noarch.rpm"), REPOSITORY.resolve("scripts/package-src/rpm/fdt.spec"));
    }

    /** With a root in /home, a rotated log, and a stop and an upgrade in the middle of a copy. */
    @Test
    void serviceIsOperatedUnderSystemd() throws IOException {
        tryOut("try-service", built("_all.deb"));
    }

    @Test
    void gfal2UsesThePluginOfEitherPackage() throws IOException {
        tryOut(
                "try-gfal2",
                built("_all.deb"),
                built(System.getProperty("os.arch").equals("aarch64") ? "_arm64.deb" : "_amd64.deb"),
                built("." + MACHINE + ".rpm"));
    }

    /** As its own user, with a root that cannot be written. */
    @Test
    void imageServesAndReportsItsHealth() throws IOException {
        tryOut(
                "try-image",
                built(System.getProperty("os.arch").equals("aarch64") ? "-image-arm64.tar" : "-image-amd64.tar"),
                unpacked(false).resolve("bin/fdt"));
    }

    private static Path built(String ending) {
        return files(made.resolve("out")).stream()
                .filter(name -> name.endsWith(ending))
                .findFirst()
                .map(made.resolve("out")::resolve)
                .orElseThrow();
    }

    private void tryOut(String name, Path... arguments) throws IOException {
        assumeTrue("0\n".equals(Shell.ok("id", "-u")), "installing is for root");
        Path script = at.path(name);
        try (InputStream in = PackageTest.class.getResourceAsStream(name)) {
            Files.copy(in, script);
        }
        List<Object> words = new ArrayList<>(List.of("timeout", "500", "unshare", "--mount", "bash", script));
        words.addAll(List.of(arguments));
        words.add(at.directory("throw-away"));
        Shell.Result tried = Shell.run(words.toArray());
        assumeTrue(tried.exitCode() != 77, "it cannot be tried here, or fdt is installed: " + tried.err());
        tried.orFail(name);
    }

    @Test
    void installerTakesTheArchiveAndRefusesADamagedOne() throws IOException {
        Path release = at.directory("release");
        Shell.ok("cp", "-r", made.resolve("out") + "/.", release);
        Path prefix = at.path("prefix");
        assertThat(Shell.ok("sh", release.resolve("install.sh"), prefix)).contains("installed fdt ");
        // Again, as for a new release.
        String installed = Shell.ok("sh", release.resolve("install.sh"), prefix);
        assertManualsCompletionsAndArchive(prefix);
        String undo = installed.substring(installed.indexOf("undo it with: ") + "undo it with: ".length());
        Shell.ok("sh", "-c", undo);
        assertThat(Shell.ok("find", prefix, "!", "-type", "d")).isEmpty();

        String archive = files(release).stream()
                .filter(name -> name.contains("-linux-" + MACHINE))
                .findFirst()
                .orElseThrow();
        Files.write(release.resolve(archive), new byte[] {0}, StandardOpenOption.APPEND);
        Shell.Result refused = Shell.run("sh", release.resolve("install.sh"), at.path("other"));
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).contains("is not what SHA256SUMS says");
        assertThat(at.path("other")).doesNotExist();
    }

    private static String make(Path out, Object... also) {
        List<Object> words = script("scripts/package", "--jar", Workplace.jar(), "--out", out);
        words.addAll(List.of(also));
        return Shell.ok(words.toArray());
    }

    /** A script of the repository with this Java. */
    static List<Object> script(String name, Object... arguments) {
        List<Object> words = new ArrayList<>(
                List.of("env", "JAVA_HOME=" + System.getProperty("java.home"), REPOSITORY.resolve(name)));
        words.addAll(List.of(arguments));
        return words;
    }

    /** Unpacks the tarball, with or without the bundled Java runtime, into the directory of the test. */
    private Path unpacked(boolean withRuntime) {
        return unpacked(withRuntime ? "-linux-" + MACHINE : "");
    }

    /** @param machine {@code -linux-} and the name of a machine, or empty without a runtime */
    private Path unpacked(String machine) {
        String name = files(made.resolve("out")).stream()
                .filter(file -> file.endsWith(machine + ".tar.gz") && file.contains("-linux-") != machine.isEmpty())
                .findFirst()
                .orElseThrow();
        Path into = at.directory("unpacked");
        Shell.ok("tar", "-xzf", made.resolve("out").resolve(name), "-C", into);
        return into.resolve(name.substring(0, name.length() - ".tar.gz".length()));
    }

    private FdtProcess.Setup setup(Path fdt, String... arguments) {
        List<String> words = new ArrayList<>(List.of(fdt.toString()));
        words.addAll(List.of(arguments));
        return new FdtProcess.Setup(
                arguments[0],
                words,
                Map.of("PATH", toolsAlone(), "FDT_HOME", at.home().toString()),
                at.directory());
    }

    /** Runs {@code --version} with only the given environment and a {@code PATH} without Java. */
    private Shell.Result run(Path fdt, Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(Map.of("PATH", toolsAlone()));
        all.putAll(environment);
        List<Object> words = new ArrayList<>(List.of("env", "-i"));
        all.forEach((name, value) -> words.add(name + "=" + value));
        words.add(fdt);
        words.add("--version");
        return Shell.run(words.toArray());
    }

    /** Returns a directory with the few tools that the launcher uses, and without Java. */
    private String toolsAlone() {
        Path tools = at.directory("tools");
        for (String tool : List.of("sh", "readlink")) {
            Path link = tools.resolve(tool);
            if (!Files.exists(link)) {
                Shell.ok("sh", "-c", "ln -s \"$(command -v " + tool + ")\" '" + link + "'");
            }
        }
        return tools.toString();
    }

    static List<String> files(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return new ArrayList<>(files.map(file -> String.valueOf(file.getFileName()))
                    .sorted()
                    .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
