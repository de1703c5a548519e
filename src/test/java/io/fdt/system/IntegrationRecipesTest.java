package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The commands of docs/integrations.md work as documented, with the other program: after the server and the key, those
 * of each program, in an environment of Python where nothing of fdt is installed yet.
 */
@Order(4)
final class IntegrationRecipesTest {
    private static final Map<String, Recipe> RECIPES = Recipe.of(Trees.text(Recipe.page("integrations.md")));
    private static final Path INTEGRATIONS = Recipe.readme().resolveSibling("integrations");

    @RegisterExtension
    final Workplace at = new Workplace();

    private RecipeHosts hosts;
    private Path bin;

    private static Recipe recipe(String name) {
        Recipe recipe = RECIPES.get(name);
        assertThat(recipe).as("recipe " + name).isNotNull();
        return recipe;
    }

    @BeforeEach
    void makeHosts() throws IOException {
        hosts = new RecipeHosts(at, false);
        hosts.replace("192.0.2.0/24", "127.0.0.0/8");
        bin = at.path("python/bin");
        Path packages =
                Path.of(Shell.ok(Integrations.python(), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
                        .strip());
        Shell.ok(Integrations.python(), "-m", "venv", "--without-pip", at.path("python"));
        Path own =
                Path.of(Shell.ok(bin.resolve("python3"), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
                        .strip());
        Files.writeString(own.resolve("others.pth"), packages + "\n");
        hosts.environment(
                "PATH",
                at.path("tools") + ":" + bin + ":" + Integrations.python().getParent() + ":" + System.getenv("PATH"));
        hosts.tool(
                "pip", "exec '" + bin + "/python3' -m pip -q --disable-pip-version-check \"$1\" --no-index \"${@:2}\"");
        recipe("server").steps().forEach(hosts::run);
    }

    /** Builds the wheel of a package, as a release has it. */
    private void wheel(String integration, String name) {
        Path source = at.path("source/" + integration);
        Shell.ok("mkdir", "-p", at.directory("wheels"), source.getParent());
        Shell.ok("cp", "-r", INTEGRATIONS.resolve(integration), source);
        String file = Shell.ok(
                        Integrations.python(),
                        "-c",
                        "import os, sys; from flit_core import buildapi; os.chdir(sys.argv[1]);"
                                + " print(buildapi.build_wheel(sys.argv[2]))",
                        source,
                        at.directory("wheels"))
                .strip();
        hosts.replace(
                name + "-1.0.0-py3-none-any.whl",
                at.path("wheels").resolve(file).toString());
    }

    @Test
    void eachProgramIsRunHere() {
        assertThat(RECIPES.keySet())
                .containsExactlyInAnyOrder(
                        "gfal",
                        "git-annex",
                        "htcondor",
                        "pscheduler",
                        "python",
                        "rucio",
                        "scitags",
                        "server",
                        "snakemake");
    }

    @Test
    void pythonReads() {
        wheel("python", "fdt_client");
        hosts.run(recipe("python"));
    }

    /** Without a server of Rucio, its administration is a stand-in. */
    @Test
    void rucioFindsTheProtocol() throws IOException {
        wheel("python", "fdt_client");
        hosts.tool("rucio-admin", "printf '%s\\n' \"$@\" >'" + at.path("protocol") + "'");
        hosts.run(recipe("rucio"));
        assertThat(Files.readAllLines(at.path("protocol")))
                .startsWith("rse", "add-protocol", "--scheme", "fdt")
                .contains("fdt_client.rucio.Protocol")
                .endsWith("FDT-RSE");
    }

    @Test
    void gitAnnexStoresAndGets() {
        wheel("python", "fdt_client");
        for (String who : List.of("AUTHOR", "COMMITTER")) {
            hosts.environment("GIT_" + who + "_NAME", "test");
            hosts.environment("GIT_" + who + "_EMAIL", "test@example.org");
        }
        hosts.run(recipe("git-annex"));
    }

    @Test
    void htcondorsPluginTransfers() {
        wheel("python", "fdt_client");
        hosts.run(recipe("htcondor"));
    }

    @Test
    void snakemakeReadsAndWrites() {
        wheel("python", "fdt_client");
        wheel("snakemake", "snakemake_storage_plugin_fdt");
        hosts.tool("snakemake", "exec '" + bin + "/python3' -m snakemake \"$@\"");
        hosts.run(recipe("snakemake"));
    }

    @Test
    void pschedulersToolAnswers() {
        wheel("python", "fdt_client");
        hosts.replace("/usr/libexec/pscheduler", at.path("pscheduler").toString());
        hosts.run(recipe("pscheduler"));
    }

    @Test
    void scitagsMarkACopy() {
        hosts.run(recipe("scitags"));
    }

    /** The plug-in comes from the checkout; that of the packages is installed by PackageTest. */
    @Test
    void gfal2CopiesBetweenTwoServers() {
        Integrations.buildGfal2(at.path("gfal2")).forEach((name, value) -> hosts.environment(name, value.toString()));
        hosts.run(recipe("gfal"));
    }
}
