package io.fdt.system;

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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.imageio.ImageIO;

/**
 * Draws the panels of a dashboard with Grafana's own components, which npm has, in Chromium, from the data of a
 * Prometheus. Heat maps and state timelines are not among the published components, and only their number of rows is
 * known. Each picture is kept in {@code src/test/target/pictures}, for people.
 */
final class DashboardPage {
    static final List<String> DASHBOARDS = List.of("home", "host", "transfers", "network-tests");

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

    private final Prometheus prometheus;
    private final String url;
    private final Browser browser;

    private DashboardPage(Prometheus prometheus, String url, Browser browser) {
        this.prometheus = prometheus;
        this.url = url;
        this.browser = browser;
    }

    /**
     * A panel as it was drawn last.
     *
     * @param rows the number of series, or of rows of a table
     * @param text what a person reads in it, without its title; of a long table or legend the visible part
     * @param legend the rows of a legend that is a table, or the visible rows of a table
     * @param area left, top, width and height of what is not title or legend
     */
    record Panel(
            String title, String kind, int rows, String text, List<String> legend, List<String> colours, List<?> area) {
        boolean isDrawn() {
            return DRAWN.contains(kind);
        }

        private static Panel of(Map<?, ?> report) {
            if (!report.get("error").equals("")) {
                throw new AssertionError(report.get("title") + ": " + report.get("error"));
            }
            return new Panel(
                    (String) report.get("title"),
                    (String) report.get("kind"),
                    ((Number) report.get("series")).intValue(),
                    (String) report.get("text"),
                    words(report.get("legend")),
                    words(report.get("colours")),
                    (List<?>) report.get("area"));
        }

        private static List<String> words(Object list) {
            return ((List<?>) list).stream().map(String::valueOf).toList();
        }
    }

    /** Builds the page and opens a browser for it. */
    static DashboardPage of(Workplace work, Prometheus prometheus) throws IOException {
        HttpServer server = serve(build(work), Prometheus.dashboards().resolve("grafana"));
        work.closing(() -> server.stop(0));
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        return new DashboardPage(prometheus, url, Browser.start(work));
    }

    /**
     * Opens a dashboard, and returns once its queries were answered. Components draw later, once they have measured
     * themselves.
     */
    void open(String name, Duration range) {
        browser.look(WIDTH, 1000, "dark");
        browser.open(url + "index.html?prometheus=" + prometheus.port() + "&seconds=" + range.toSeconds()
                + "&dashboard=" + name + ".json");
        browser.until("location.search.includes('" + name + ".json') && window.pageHeight > 0");
        browser.look(WIDTH, (int) browser.number("window.pageHeight"), "dark");
    }

    List<Panel> panels() {
        List<Panel> panels = new ArrayList<>();
        for (Object entry : (List<?>) Json.value((String) browser.evaluate("window.report()"))) {
            panels.add(Panel.of((Map<?, ?>) entry));
        }
        return panels;
    }

    /** Returns the titles of the panels of which no pixels are visible at the end of the limit. */
    Set<String> blank() {
        Set<String> blank = new TreeSet<>();
        Await.holdsWithin(DRAWN_WITHIN, () -> {
            blank.clear();
            BufferedImage seen = image(browser.screenshot());
            for (Panel panel : panels()) {
                if (panel.isDrawn() && pixels(seen, panel.area(), panel.colours()) < FEWEST_PIXELS) {
                    blank.add(panel.title());
                }
            }
            return blank.isEmpty();
        });
        return blank;
    }

    /** Whether pixels of a colour are visible in a panel. */
    boolean shows(Panel panel, String colour) {
        return pixels(image(browser.screenshot()), panel.area(), List.of(colour)) >= FEWEST_PIXELS;
    }

    void keepPicture(String name) throws IOException {
        Path pictures = Files.createDirectories(target("pictures"));
        Files.write(pictures.resolve(name + ".png"), browser.screenshot());
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

    private static Path target(String name) {
        return Prometheus.dashboards().resolveSibling("src/test/target").resolve(name);
    }

    /**
     * Installs the components and builds the page, and returns its directory. Installed components are used again as
     * long as the list of packages is the same.
     */
    private static Path build(Workplace work) throws IOException {
        Path source = Prometheus.dashboards().resolveSibling("src/test/grafana");
        Path target = Files.createDirectories(target("grafana"));
        String wanted = Files.readString(source.resolve("package-lock.json"));
        Path installed = target.resolve("package-lock.json");
        if (!Files.exists(target.resolve("node_modules/.package-lock.json"))
                || !Files.readString(installed).equals(wanted)) {
            Files.copy(
                    source.resolve("package.json"),
                    target.resolve("package.json"),
                    StandardCopyOption.REPLACE_EXISTING);
            Files.writeString(installed, wanted);
            run(work, "npm", target, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
        }
        for (String file : List.of("panels.js", "index.html")) {
            Files.copy(source.resolve(file), target.resolve(file), StandardCopyOption.REPLACE_EXISTING);
        }
        Path page = work.directory("page");
        Files.copy(source.resolve("index.html"), page.resolve("index.html"));
        run(
                work,
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

    private static void run(Workplace work, String name, Path directory, String... command) {
        FdtProcess process = FdtProcess.start(new FdtProcess.Setup(name, List.of(command), System.getenv(), directory));
        work.closing(process);
        process.await(Workplace.LIMIT).expectExit(0);
    }

    /** Serves the files of these directories. */
    private static HttpServer serve(Path... directories) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
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
        return server;
    }
}
