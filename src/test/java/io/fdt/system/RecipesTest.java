package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.sun.net.httpserver.HttpServer;
import io.fdt.core.FreePort;
import io.fdt.core.transport.Await;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The commands of the README and of some pages of docs work as documented. The test extracts every recipe, runs it, and
 * checks exit codes, the lines shown and the files on disk afterwards.
 */
@Order(4)
final class RecipesTest {
    private static final int MIB = 1 << 20;
    private static final int PHOTOS = 2000;
    private static final String README = Trees.text(Recipe.readme());
    private static final String MORE = Trees.text(Recipe.page("recipes.md"));
    private static final String ALL = Stream.of("tuning.md", "rdma.md", "monitoring.md")
            .map(name -> Trees.text(Recipe.page(name)))
            .collect(Collectors.joining("\n", README + "\n" + MORE + "\n", ""));
    private static final Map<String, Recipe> RECIPES = Recipe.of(ALL);

    @RegisterExtension
    final Workplace at = new Workplace();

    private RecipeHosts hosts;
    private Path results;

    @BeforeEach
    void makeWhatIsToBeCopied() throws IOException {
        hosts = new RecipeHosts(at, true);
        results = at.directory("dtn1/results");
        Trees.file(results.resolve("a.dat"), 8 * MIB, 1);
        Trees.file(results.resolve("b.dat"), 12 * MIB, 2);
        Files.writeString(results.resolve("notes.txt"), "a run\n");
    }

    /** Starts the server of the first recipe, which all later recipes need. */
    private void startServer() {
        hosts.start(recipe("first-copy").steps().get(0));
    }

    private static Recipe recipe(String name) {
        Recipe recipe = RECIPES.get(name);
        assertThat(recipe).as("recipe " + name).isNotNull();
        return recipe;
    }

    private Path incoming(String name) {
        return hosts.path("dtn2", "/data/incoming/" + name);
    }

    @Test
    void everyRecipeIsRunHere() {
        List<String> tests = Arrays.stream(RecipesTest.class.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .map(method ->
                        method.getName().replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT))
                .toList();
        assertThat(RECIPES).hasSizeGreaterThan(8);
        assertThat(ALL.lines().filter("```sh"::equals).count())
                .as("blocks to type, each of which belongs to a recipe")
                .isEqualTo(RECIPES.values().stream()
                        .mapToLong(recipe -> recipe.steps().size())
                        .sum());
        assertThat(RECIPES.keySet())
                .allSatisfy(name ->
                        assertThat(tests).anySatisfy(test -> assertThat(test).startsWith(name)));
        assertThat(Recipe.tableLines(MORE))
                .hasSizeGreaterThan(8)
                .allSatisfy(line -> assertThat(line).contains("fdt "));
    }

    @Test
    void everyCommandOfTheCheckoutThatTheReadmeNamesIsThere() {
        for (String script : List.of("scripts/quickstart", "scripts/install")) {
            assertThat(README).contains(script);
            assertThat(Recipe.readme().resolveSibling(script)).isExecutable();
        }
    }

    @Test
    @Tag("full")
    void firstCopyCarriesAKeyOverAndPutsTheTreeInPlace() {
        hosts = new RecipeHosts(at, false);
        Recipe recipe = recipe("first-copy");
        assertThat(recipe.steps()).hasSize(3);

        hosts.run(recipe);

        assertFirstCopy();
    }

    private void assertFirstCopy() {
        Trees.assertSame(results, incoming("run7"));
        assertThat(at.path("dtn1/.fdt")).isDirectory();
    }

    @Test
    void firstCopyIsRefusedWithoutTheKey() {
        hosts = new RecipeHosts(at, false);
        List<Recipe.Step> steps = recipe("first-copy").steps();
        hosts.start(steps.get(0));

        hosts.start(steps.get(2)).await(Workplace.LIMIT).expectExit(7);

        assertThat(incoming("run7")).doesNotExist();
    }

    @Test
    @Tag("full")
    void pullBringsTheDirectoryHere() {
        Shell.ok("cp", "-a", results, incoming("run7"));
        startServer();

        hosts.run(recipe("pull"));

        Trees.assertSame(results, hosts.path("dtn1", "run7"));
    }

    @Test
    @Tag("full")
    void resumeMovesOnlyWhatIsMissing() {
        Path big = Trees.file(hosts.path("dtn1", "big.dat"), 64 * MIB, 3);
        startServer();
        Recipe recipe = recipe("resume");
        assertThat(recipe.steps()).hasSize(2);
        assertThat(recipe.steps().get(1).script())
                .isEqualTo(recipe.steps().get(0).script());
        assertThat(recipe.steps().get(1).prints())
                .anySatisfy(line -> assertThat(line).contains("resumed "));

        interruptAndResume(recipe);

        Trees.assertSameFile(big, incoming("big.dat"));
    }

    private void interruptAndResume(Recipe recipe) {
        hosts.environment("FDT_RATE_LIMIT", "80Mbit");
        FdtProcess first = hosts.start(recipe.steps().get(0));
        Await.until("a chunk is in the journal", Workplace.LIMIT, this::somethingIsDurable);
        first.signal("INT");
        hosts.expect(recipe.steps().get(0), first.await(Workplace.LIMIT));
        assertThat(incoming("big.dat")).doesNotExist();

        hosts.environment("FDT_RATE_LIMIT", "");
        hosts.run(recipe.steps().get(1));
    }

    /**
     * Runs the recipes in document order on one pair of hosts, so each recipe finds the files of those before it. Most
     * of them run alone, too, with the tag {@code full}.
     */
    @Test
    void recipesWorkInTheOrderInWhichTheyAreRead() throws IOException {
        hosts = new RecipeHosts(at, false);
        Path big = Trees.file(hosts.path("dtn1", "big.dat"), 64 * MIB, 3);
        Path photos = makePhotos();
        hosts.environment("FDT_NETTEST_DURATION", "1s");
        List<String> run = new ArrayList<>();
        RECIPES.forEach((name, recipe) -> {
            // These change the host or need an ssh server or other programs. They have their own tests.
            if (List.of("ssh", "tune", "rdma", "grafana", "login", "nightly").contains(name)) {
                return;
            }
            run.add(name);
            if (name.equals("resume")) {
                interruptAndResume(recipe);
            } else if (name.equals("watch")) {
                watchUntilInterrupted(recipe);
            } else {
                hosts.run(recipe);
            }
        });

        assertThat(run)
                .startsWith("first-copy")
                .contains("pull", "resume", "small-files", "verify", "changed", "within-one-host", "watch")
                .contains("network-test");
        assertFirstCopy();
        Trees.assertSame(results, hosts.path("dtn1", "run7"));
        Trees.assertSameFile(big, incoming("big.dat"));
        assertSmallFiles(photos);
        assertVerified();
        assertChangedFileStays();
        Trees.assertSame(results, hosts.path("dtn1", "backup/run7"));
        assertReport();
    }

    /** Whether a journal contains more than its header and stamp. */
    private boolean somethingIsDurable() {
        File[] journals = incoming("").toFile().listFiles((directory, name) -> name.endsWith(".journal"));
        return journals != null && Stream.of(journals).anyMatch(journal -> journal.length() > 128 + 64);
    }

    private Path makePhotos() throws IOException {
        Path photos = at.directory("dtn1/photos");
        for (int i = 0; i < PHOTOS; i++) {
            Files.writeString(photos.resolve("%04d.jpg".formatted(i)), "photo " + i + "\n");
        }
        return photos;
    }

    @Test
    @Tag("full")
    void smallFilesArriveAndASecondRunSendsWhatIsNew() throws IOException {
        Path photos = makePhotos();
        startServer();

        hosts.run(recipe("small-files"));

        assertSmallFiles(photos);
    }

    private void assertSmallFiles(Path photos) {
        assertThat(photos.resolve("new.jpg")).exists();
        Trees.assertSame(photos, incoming("photos"));
        assertThat(Trees.listing(incoming("sevens/photos")).lines())
                .hasSize(PHOTOS / 10)
                .allSatisfy(name -> assertThat(name).endsWith("7.jpg"));
    }

    @Test
    @Tag("full")
    void verifyChecksTheCopyAgainstItsReceipt() {
        startServer();

        hosts.run(recipe("verify"));

        assertVerified();
    }

    private void assertVerified() {
        assertThat(hosts.path("dtn1", "run8.json")).isNotEmptyFile();
        Trees.assertSame(results, incoming("run8"));
    }

    @Test
    @Tag("full")
    void changedFileIsFound() {
        startServer();

        hosts.run(recipe("changed"));

        assertChangedFileStays();
    }

    private void assertChangedFileStays() {
        assertThat(incoming("run9/notes.txt")).hasContent("a run\nrot");
        assertThat(incoming("run9/b.dat")).hasSameBinaryContentAs(results.resolve("b.dat"));
    }

    @Test
    @Tag("full")
    void withinOneHostACopyNeedsNoServer() {
        hosts = new RecipeHosts(at, false);

        hosts.run(recipe("within-one-host"));

        Trees.assertSame(results, hosts.path("dtn1", "backup/run7"));
    }

    @Test
    @Tag("full")
    void watchCopiesWhatIsCompleteUntilItIsInterrupted() {
        startServer();

        watchUntilInterrupted(recipe("watch"));
    }

    private void watchUntilInterrupted(Recipe recipe) {
        Path file = Trees.file(hosts.path("dtn1", "daq/run1/events"), 6000, 4);
        Recipe.Step step = recipe.steps().get(0);
        FdtProcess watching = hosts.start(step);
        Await.until("the file is moved", Workplace.LIMIT, () -> !Files.exists(file) || !watching.isAlive());
        watching.signal("INT");
        hosts.expect(step, watching.await(Workplace.LIMIT));
        assertThat(incoming("raw/run1/events")).hasSize(6000);
    }

    /** No service manager runs here: a stand-in has systemd check the unit, and starts it in a session of its own. */
    @Test
    void loginMayEndBeforeTheCopy() throws IOException {
        Path log = at.path("journal");
        Path unit = at.path("fdt-later.service");
        hosts.tool("loginctl", "true");
        hosts.tool("systemd-run", """
                [ "$1 $2 $3" = "--user --same-dir --unit" ] || exit 1
                shift 4
                printf '[Service]\\nWorkingDirectory=%%s\\nExecStart=%%s\\n' "$PWD" "$(command -v "$1") ${*:2}" >'%s'
                systemd-analyze --user verify '%s'
                setsid "$@" >/dev/null 2>'%s' </dev/null &""".formatted(unit, unit, log));
        hosts.replace("--monitor 127.0.0.1:9180", "--monitor 127.0.0.1:0");
        hosts.environment("FDT_RATE_LIMIT", "8Mbit");
        startServer();

        hosts.run(recipe("login"));

        Pattern page = Pattern.compile("fdt monitor on (http://\\S+)");
        Await.until(
                "the page",
                Workplace.LIMIT,
                () -> Files.exists(log) && page.matcher(Trees.text(log)).find());
        Matcher there = page.matcher(Trees.text(log));
        assertThat(there.find()).isTrue();
        URI metrics = URI.create(there.group(1) + "metrics");
        Await.until("its session", Workplace.LIMIT, () -> Browser.get(metrics).contains("fdt_session"));
        Await.until("the copy", Workplace.LIMIT, () -> Files.exists(incoming("later/b.dat")));
        Await.until("its end", Workplace.LIMIT, () -> Trees.text(log).contains("fdt: copied 3 files"));
        Trees.assertSame(results, incoming("later"));
    }

    @Test
    void nightlyMirrorFeedsTheAlert() throws IOException {
        List<String> pushed = new CopyOnWriteArrayList<>();
        HttpServer gateway = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        gateway.createContext("/", exchange -> {
            pushed.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        gateway.start();
        at.closing(() -> gateway.stop(0));
        hosts.replace("127.0.0.1:9091", "127.0.0.1:" + gateway.getAddress().getPort());
        startServer();
        Files.writeString(at.directory("dtn2/data/incoming/mirror").resolve("stale"), "gone at the source\n");

        hosts.run(recipe("nightly"));

        Trees.assertSame(results, incoming("mirror"));
        assertThat(String.join("", pushed)).contains("fdt_copy_last_success_timestamp_seconds{");
        assertThat(Trees.text(Prometheus.dashboards().resolve("prometheus/alerts.yml")))
                .containsPattern("alert: FdtNoGoodCopy\n[^-]*expr:[^:]*"
                        + "time\\(\\) - fdt_copy_last_success_timestamp_seconds");
    }

    @Test
    void sshStartsRemoteEnd() {
        SshServer sshd = at.closing(SshServer.start(at.path("sshd")));
        hosts.replace("ann@dtn2:/data/", sshd.user() + "@127.0.0.1:" + at.path("dtn2") + "/data/");
        hosts.environment("FDT_SSH", sshd.command());
        hosts.environment(
                "FDT_REMOTE_COMMAND",
                "env FDT_HOME=" + at.path("far-home") + " TMPDIR=" + at.directory("far-tmp") + " "
                        + at.path("tools/fdt"));

        hosts.run(recipe("ssh"));

        Trees.assertSame(results, hosts.path("dtn2", "/data/run7"));
    }

    @Test
    @Tag("full")
    void networkTestGivesAVerdictAndAReport() {
        startServer();
        hosts.environment("FDT_NETTEST_DURATION", "1s");

        hosts.run(recipe("network-test"));

        assertReport();
    }

    private void assertReport() {
        assertThat(hosts.path("dtn1", "path.html")).content().contains("Save as SVG", "Gbit/s");
    }

    @Test
    void tuneAppliesAndUndoes() throws IOException {
        TuneHost host = TuneHost.enter(at);
        hosts.fdtIs("exec " + String.join(" ", host.inside()) + " " + Workplace.fdtInShell() + " \"$@\" --root "
                + host.root() + " --state " + at.path("state"));
        hosts.replace("--nic eth0", "--nic v0");
        List<Recipe.Step> steps = recipe("tune").steps();
        assertThat(steps).hasSize(3);
        String original = host.everything();

        hosts.run(steps.get(0));
        assertThat(host.everything()).as("after show and plan").isEqualTo(original);
        hosts.run(steps.get(1));
        assertThat(host.everything()).as("after apply").isNotEqualTo(original);
        hosts.run(steps.get(2));
        assertThat(host.everything()).as("after undo").isEqualTo(original);
    }

    @Test
    void rdmaIsRefusedInOneSentenceWhereThereIsNone() {
        String[] devices = new File("/sys/class/infiniband").list();
        assumeFalse(devices != null && devices.length > 0, "this host has RDMA");
        Trees.file(hosts.path("dtn1", "big.dat"), MIB, 3);

        hosts.run(recipe("rdma"));

        assertThat(incoming("big.dat")).doesNotExist();
    }

    @Test
    @Tag("dashboards")
    void grafanaHasAPrometheusThatScrapesTheServer() throws IOException {
        List<Recipe.Step> steps = recipe("grafana").steps();
        assertThat(steps).hasSize(3);
        int port = FreePort.next();
        Path scripts = Recipe.readme().resolveSibling("scripts");
        hosts.environment("FDT_MONITORING_DIR", at.path("monitoring").toString());
        hosts.environment("FDT_PROMETHEUS_PORT", String.valueOf(port));
        hosts.environment("FDT_PUSHGATEWAY_PORT", String.valueOf(FreePort.next()));
        hosts.replace("scripts/", scripts + "/");
        hosts.replace("127.0.0.1:9090", "127.0.0.1:" + port);
        hosts.replace("--monitor 127.0.0.1:9180", "--monitor 127.0.0.1:0");
        hosts.replace("on http://127.0.0.1:9180/", "on http://127.0.0.1:…/");
        FdtProcess server = hosts.start(steps.get(0));
        String told = server.awaitErrorLine(Workplace.LIMIT, line -> line.contains("fdt monitor on http://"));
        String monitor = told.substring(told.indexOf("//") + 2, told.lastIndexOf('/'));
        hosts.replace("127.0.0.1:9180", monitor);
        at.closing(() -> Shell.run(
                "env",
                "FDT_MONITORING_DIR=" + at.path("monitoring"),
                scripts.resolve("monitoring").toString(),
                "stop"));

        hosts.run(steps.get(1));

        URI up = URI.create("http://127.0.0.1:" + port + "/api/v1/query?query=up%7Bjob%3D%22fdt%22%7D");
        Await.until("Prometheus has scraped " + monitor, Workplace.LIMIT, () -> {
            String answer = Browser.get(up);
            return answer.contains(monitor) && answer.contains("\"1\"");
        });
        hosts.run(steps.get(2));
        Await.until("Prometheus has ended", Workplace.LIMIT, () -> !answers(port));
    }

    private static boolean answers(int port) {
        try (java.net.Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }

    @Test
    void everyLineOfTheTableWorks() throws IOException {
        Trees.file(hosts.path("dtn1", "big.dat"), MIB, 3);
        Files.writeString(hosts.path("dtn1", "list.txt"), "x\ny/z\n");
        Files.createDirectories(hosts.path("dtn1", "/data/in/y"));
        Files.writeString(hosts.path("dtn1", "/data/in/x"), "x");
        Files.writeString(hosts.path("dtn1", "/data/in/y/z"), "z");
        startServer();
        hosts.replace("--duration 10s", "--duration 500ms");
        hosts.replace("192.0.2.1,192.0.2.2", "127.0.0.1,127.0.0.2");

        for (String line : Recipe.tableLines(MORE)) {
            hosts.run(new Recipe.Step("dtn1", false, false, false, 0, line, List.of()));
        }

        assertThat(Recipe.tableLines(MORE).size() + RECIPES.size())
                .as("everyday jobs")
                .isGreaterThan(50);
        assertThat(incoming("dry")).doesNotExist();
        assertThat(incoming("new")).doesNotExist();
        Trees.assertSame(results, incoming("moved"));
        assertThat(hosts.path("dtn1", "ended")).exists();
        assertThat(incoming("listed/y/z")).hasContent("z");
        Trees.assertSame(results, incoming("run7"));
        Trees.assertSame(results, incoming("scripted"));
        Trees.assertSameFile(hosts.path("dtn1", "big.dat"), incoming("big.dat"));
        Trees.assertSameFile(hosts.path("dtn1", "big.dat"), incoming("bound.dat"));
        assertThat(Shell.ok("tar", "tf", incoming("results.tar"))).contains("results/b.dat");
    }
}
