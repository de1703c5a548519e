package io.fdt.system;

import io.fdt.core.FreePort;
import io.fdt.core.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * Debian's Prometheus on loopback with the configuration, rules and alerts of {@code dashboards/}. It scrapes the
 * targets of the test every second instead of every five seconds.
 */
final class Prometheus {
    private static final String GATEWAY = "127.0.0.1:9091";

    /** The beginning of the commands that run where it runs; empty for this network. */
    private final List<String> inside;

    private final int port;

    private Prometheus(List<String> inside, int port) {
        this.inside = inside;
        this.port = port;
    }

    /** A rule or alert as parsed by Prometheus. */
    record Rule(String name, boolean alert, String expression) {}

    /** The directory of the dashboards in this checkout. */
    static Path dashboards() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.isDirectory(at.resolve("dashboards/prometheus"))) {
                return at.resolve("dashboards");
            }
        }
        throw new AssertionError("no directory dashboards above " + Path.of("").toAbsolutePath());
    }

    int port() {
        return port;
    }

    /** Starts Prometheus and waits until it is ready. The targets have the form {@code HOST:PORT}. */
    static Prometheus start(Workplace work, List<String> targets) {
        return start(work, targets, GATEWAY, text -> text);
    }

    /**
     * Like {@link #start(Workplace, List)}.
     *
     * @param gateway the address of the Pushgateway
     * @param alerts changes the file of the alerts
     */
    static Prometheus start(Workplace work, List<String> targets, String gateway, UnaryOperator<String> alerts) {
        return start(work, List.of(), targets, gateway, alerts);
    }

    /** Starts it by a command that its own command follows, for example in another network namespace. */
    static Prometheus startIn(List<String> inside, Workplace work, List<String> targets, UnaryOperator<String> alerts) {
        return start(work, inside, targets, GATEWAY, alerts);
    }

    private static Prometheus start(
            Workplace work, List<String> inside, List<String> targets, String gateway, UnaryOperator<String> alerts) {
        Path config = work.path("prometheus");
        Shell.ok("cp", "-r", dashboards().resolve("prometheus"), config);
        StringBuilder list = new StringBuilder();
        targets.forEach(target -> list.append("- targets: ['").append(target).append("']\n"));
        try {
            Files.writeString(config.resolve("targets/this-host.yaml"), list);
            Path file = config.resolve("prometheus.yml");
            String quick = Files.readString(file)
                    .replace(GATEWAY, gateway)
                    .replace("scrape_interval: 5s", "scrape_interval: 1s")
                    .replace("scrape_timeout: 4s", "scrape_timeout: 1s")
                    .replace("evaluation_interval: 5s", "evaluation_interval: 1s");
            Files.writeString(file, quick);
            Path rules = config.resolve("alerts.yml");
            Files.writeString(rules, alerts.apply(Files.readString(rules)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        int port = FreePort.next();
        List<String> command = List.of(
                "/usr/bin/prometheus",
                "--config.file=" + config.resolve("prometheus.yml"),
                "--storage.tsdb.path=" + work.directory("tsdb"),
                "--web.listen-address=127.0.0.1:" + port);
        Map<String, String> environment = Map.of("PATH", System.getenv("PATH"));
        FdtProcess process =
                work.startThrough(inside, new FdtProcess.Setup("prometheus", command, environment, work.directory()));
        process.awaitErrorLine(Workplace.LIMIT, line -> line.contains("Server is ready to receive web requests"));
        return new Prometheus(inside, port);
    }

    /** Starts a Pushgateway at an address, and waits until it listens. */
    static FdtProcess startGateway(Workplace work, String address) {
        FdtProcess running = work.track(FdtProcess.start(new FdtProcess.Setup(
                "gateway",
                // Debian's keeps its data in one file of the host.
                List.of("/usr/bin/prometheus-pushgateway", "--persistence.file=", "--web.listen-address=" + address),
                Map.of("PATH", System.getenv("PATH")),
                work.directory("gateway"))));
        running.awaitErrorLine(
                Workplace.LIMIT, line -> line.contains("listen_address") || line.contains("Listening on"));
        return running;
    }

    /** Returns the current series of an expression. */
    List<?> query(String expression) {
        Map<String, Object> answer = ask("query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8));
        if (!"success".equals(answer.get("status"))) {
            throw new AssertionError(expression + ": " + answer);
        }
        return (List<?>) ((Map<?, ?>) answer.get("data")).get("result");
    }

    /** Returns the names of all metrics, including those of the rules. */
    List<?> metrics() {
        return (List<?>) ask("label/__name__/values").get("data");
    }

    List<?> labels() {
        return (List<?>) ask("labels").get("data");
    }

    List<Rule> rules() {
        List<Rule> rules = new ArrayList<>();
        for (Object group : (List<?>) ((Map<?, ?>) ask("rules").get("data")).get("groups")) {
            for (Object entry : (List<?>) ((Map<?, ?>) group).get("rules")) {
                Map<?, ?> rule = (Map<?, ?>) entry;
                rules.add(new Rule(
                        (String) rule.get("name"), "alerting".equals(rule.get("type")), (String) rule.get("query")));
            }
        }
        return rules;
    }

    private Map<String, Object> ask(String path) {
        String url = "http://127.0.0.1:" + port + "/api/v1/" + path;
        if (inside.isEmpty()) {
            return Json.object(Browser.get(URI.create(url)));
        }
        List<String> words = new ArrayList<>(inside);
        words.addAll(List.of("curl", "-sS", url));
        return Json.object(Shell.ok(words.toArray()));
    }

    /**
     * Returns the alerts that fire, or have fired within the last hour, each as its name and the values of these
     * labels, in their order.
     */
    Set<String> firing(boolean everFired, String... labels) {
        Set<String> firing = new TreeSet<>();
        String series = "ALERTS{alertstate=\"firing\"}";
        for (Object one : query(everFired ? "max_over_time(" + series + "[1h])" : series)) {
            Map<?, ?> metric = (Map<?, ?>) ((Map<?, ?>) one).get("metric");
            StringBuilder words = new StringBuilder().append(metric.get("alertname"));
            for (String label : labels) {
                Object value = metric.get(label);
                words.append(value == null ? "" : " " + value);
            }
            firing.add(words.toString());
        }
        return firing;
    }
}
