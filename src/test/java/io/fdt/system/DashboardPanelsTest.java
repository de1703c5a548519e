package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.fdt.core.Json;
import io.fdt.core.transport.Await;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.imageio.ImageIO;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Draws the panels of all dashboards with Grafana's own components, which npm has, in Chromium, from a Prometheus that
 * scrapes a host that has everything. Heat maps and state timelines are not among the published components: of these,
 * only {@link DashboardsTest} checks that they have data.
 */
@Tag("dashboards")
final class DashboardPanelsTest {
    private static final int WIDTH = 1536;
    /** Red, green and blue of the background, about. */
    private static final int BACK = 27;
    /** The largest difference between a pixel and a mixture of the background and the colour of a series. */
    private static final double NEAR = 24;
    /** The area below a line is filled with a smaller share of its colour. */
    private static final double SMALLEST_SHARE = 0.25;
    /** A line of one pixel across a panel has hundreds of pixels, the digits of a tile have dozens. */
    private static final int FEWEST_PIXELS = 20;

    private static final Duration DRAWN_WITHIN = Duration.ofMinutes(1);

    private static final Set<String> DRAWN = Set.of("timeseries", "stat", "bargauge", "table");

    @RegisterExtension
    final Workplace work = new Workplace();

    private final Set<String> panels = new TreeSet<>();
    private @Nullable HttpServer files;

    @AfterEach
    void stopServing() {
        if (files != null) {
            files.stop(0);
        }
    }

    @Test
    void everyPanelWithDataShowsPixelsOfItsSeries() throws IOException {
        Path built = build();
        try (RecordedMetrics metrics = new RecordedMetrics()) {
            Prometheus prometheus = Prometheus.start(work, List.of(metrics.target()));
            assertThat(DashboardQueries.read(prometheus).withoutData(prometheus, Workplace.LIMIT, expression -> false))
                    .isEmpty();
            String url = serve(built, Prometheus.dashboards().resolve("grafana"));
            Browser browser = Browser.start(work);
            Set<String> blank = new TreeSet<>();
            for (String name : List.of("home.json", "host.json", "transfers.json", "network-tests.json")) {
                blank.addAll(blank(browser, url, prometheus, name));
            }
            assertThat(blank).as("panels that are blank").isEmpty();
            assertThat(panels).hasSizeGreaterThan(40);
        }
    }

    /** The sessions that have ended were faster. */
    @Test
    void aLegendLeadsWithTheSessionsThatRun() throws IOException {
        Path built = build();
        try (RecordedMetrics running = new RecordedMetrics();
                RecordedMetrics ended = new RecordedMetrics("dtn1", 5)) {
            Prometheus prometheus = Prometheus.start(work, List.of(running.target(), ended.target()));
            String rates = "rate(fdt_session_bytes_total{instance=\"" + ended.target() + "\"}[10s])";
            Await.until(
                    "the sessions",
                    Workplace.LIMIT,
                    () -> !prometheus.query(rates).isEmpty());
            ended.stop();
            Await.until(
                    "their end", Workplace.LIMIT, () -> prometheus.query(rates).isEmpty());
            Browser browser = Browser.start(work);
            browser.look(WIDTH, 1000, "dark");
            browser.open(serve(built, Prometheus.dashboards().resolve("grafana")) + "index.html?prometheus="
                    + prometheus.port() + "&dashboard=transfers.json");
            browser.until("window.pageHeight > 0");
            String rows = "JSON.parse(window.report()).find(p => p.title === 'Throughput of each session').legend";
            browser.until(rows + ".length === 4");
            assertThat((String) browser.evaluate(rows + ".join('\\n')"))
                    .matches("(?s)(?:[^\n]*" + running.target() + "[^\n]*\n){2}(?:[^\n]*" + ended.target()
                            + "[^\n]*\n?){2}");
        }
    }

    /** Returns the panels of which no pixels are visible at the end of the limit. */
    private Set<String> blank(Browser browser, String url, Prometheus prometheus, String name) {
        browser.look(WIDTH, 1000, "dark");
        browser.open(url + "index.html?prometheus=" + prometheus.port() + "&dashboard=" + name);
        browser.until("location.search.includes('" + name + "') && window.pageHeight > 0");
        browser.look(WIDTH, (int) browser.number("window.pageHeight"), "dark");
        Set<String> blank = new TreeSet<>();
        // Components draw once they have measured themselves.
        Await.holdsWithin(DRAWN_WITHIN, () -> {
            blank.clear();
            BufferedImage seen = image(browser.screenshot());
            for (Object entry : (List<?>) Json.value((String) browser.evaluate("window.report()"))) {
                Map<?, ?> panel = (Map<?, ?>) entry;
                String title = name + ": " + panel.get("title");
                assertThat(panel.get("error")).as(title).isEqualTo("");
                if (DRAWN.contains(panel.get("kind"))) {
                    panels.add(title);
                    if (pixels(seen, (List<?>) panel.get("area"), (List<?>) panel.get("colours")) < FEWEST_PIXELS) {
                        blank.add(title);
                    }
                }
            }
            return blank.isEmpty();
        });
        return blank;
    }

    private static BufferedImage image(byte[] png) {
        try {
            return ImageIO.read(new ByteArrayInputStream(png));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int pixels(BufferedImage image, List<?> area, List<?> colours) {
        int x = ((Number) area.get(0)).intValue();
        int y = ((Number) area.get(1)).intValue();
        int right = Math.min(image.getWidth(), x + ((Number) area.get(2)).intValue());
        int bottom = Math.min(image.getHeight(), y + ((Number) area.get(3)).intValue());
        List<Color> wanted =
                colours.stream().map(colour -> colour(String.valueOf(colour))).toList();
        int count = 0;
        for (int row = Math.max(0, y); row < bottom; row++) {
            for (int column = Math.max(0, x); column < right; column++) {
                Color pixel = new Color(image.getRGB(column, row));
                if (wanted.stream().anyMatch(colour -> shows(pixel, colour))) {
                    count++;
                }
            }
        }
        return count;
    }

    /** Of {@code #rrggbb}, or {@code rgb(204, 204, 220)}. */
    private static Color colour(String text) {
        if (text.startsWith("#")) {
            return Color.decode(text.substring(0, 7));
        }
        String[] parts = text.replaceAll("[^0-9,.]", "").split(",", -1);
        return new Color(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
    }

    /** Whether a pixel is a mixture of the background and the colour: lines and letters have soft edges. */
    private static boolean shows(Color pixel, Color colour) {
        double[] seen = {pixel.getRed() - BACK, pixel.getGreen() - BACK, pixel.getBlue() - BACK};
        double[] full = {colour.getRed() - BACK, colour.getGreen() - BACK, colour.getBlue() - BACK};
        double share = product(seen, full) / product(full, full);
        double[] rest = new double[full.length];
        for (int i = 0; i < rest.length; i++) {
            rest[i] = seen[i] - share * full[i];
        }
        return share >= SMALLEST_SHARE && product(rest, rest) <= NEAR * NEAR;
    }

    private static double product(double[] one, double[] other) {
        double sum = 0;
        for (int i = 0; i < one.length; i++) {
            sum += one[i] * other[i];
        }
        return sum;
    }

    /**
     * Installs the components and builds the page, and returns its directory. Installed components are used again as
     * long as the list of packages is the same.
     */
    private Path build() throws IOException {
        Path source = Prometheus.dashboards().resolveSibling("src/test/grafana");
        Path target = Files.createDirectories(Prometheus.dashboards().resolveSibling("src/test/target/grafana"));
        String wanted = Files.readString(source.resolve("package-lock.json"));
        Path installed = target.resolve("package-lock.json");
        if (!Files.exists(target.resolve("node_modules/.package-lock.json"))
                || !Files.readString(installed).equals(wanted)) {
            Files.copy(
                    source.resolve("package.json"),
                    target.resolve("package.json"),
                    StandardCopyOption.REPLACE_EXISTING);
            Files.writeString(installed, wanted);
            run("npm", target, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
        }
        for (String file : List.of("panels.js", "index.html")) {
            Files.copy(source.resolve(file), target.resolve(file), StandardCopyOption.REPLACE_EXISTING);
        }
        Path page = work.directory("page");
        Files.copy(source.resolve("index.html"), page.resolve("index.html"));
        run(
                "esbuild",
                target,
                target.resolve("node_modules/@esbuild/linux-" + machine() + "/bin/esbuild")
                        .toString(),
                "panels.js",
                "--bundle",
                "--format=esm",
                // Their modules for browsers import others in a way that only works in Node.js.
                "--alias:@grafana/data=./node_modules/@grafana/data/dist/cjs/index.cjs",
                "--alias:@grafana/ui=./node_modules/@grafana/ui/dist/cjs/index.cjs",
                "--outfile=" + page.resolve("panels.js"),
                "--loader:.ttf=dataurl",
                "--define:process.env.NODE_ENV=\"production\"");
        return page;
    }

    private static String machine() {
        return System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x64";
    }

    private void run(String name, Path directory, String... command) {
        FdtProcess process = FdtProcess.start(new FdtProcess.Setup(name, List.of(command), System.getenv(), directory));
        work.closing(process);
        process.await(Workplace.LIMIT).expectExit(0);
    }

    /** Serves the files of these directories, and returns the URL. */
    private String serve(Path... directories) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        files = server;
        server.createContext("/", exchange -> {
            String name = exchange.getRequestURI().getPath().substring(1);
            byte[] body = new byte[0];
            for (Path directory : directories) {
                Path file = directory.resolve(name);
                body = name.isEmpty() || !Files.isRegularFile(file) ? body : Files.readAllBytes(file);
            }
            String type = name.endsWith(".js")
                    ? "text/javascript"
                    : name.endsWith(".css") ? "text/css" : name.endsWith(".html") ? "text/html" : "application/json";
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.sendResponseHeaders(body.length == 0 ? 404 : 200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }
}
