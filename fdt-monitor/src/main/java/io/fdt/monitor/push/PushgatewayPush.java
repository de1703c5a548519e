package io.fdt.monitor.push;

import io.fdt.monitor.figure.Exposition;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Sample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The Prometheus Pushgateway. It keeps received values for ever, so it only gets results, never the counters of a host
 * or session, which would stay there unchanged. Each tested or copied path is a separate group, so that its results do
 * not replace those of other paths. For the pusher's thread.
 */
public final class PushgatewayPush implements Push {
    /** Labels that distinguish the parts of one result; all others identify the result. */
    private static final List<String> PARTS = List.of("direction", "side", "size", "quantile");

    private final PushTarget target;
    private List<Figure> pushed = List.of();

    public PushgatewayPush(PushTarget target) {
        this.target = target;
    }

    @Override
    public void send(Sample sample, List<Figure> figures) throws IOException {
        List<Figure> results =
                figures.stream().filter(figure -> figure.meter().isResult()).toList();
        if (results.equals(pushed)) {
            return;
        }
        Map<String, List<Figure>> groups = new LinkedHashMap<>();
        for (Figure result : results) {
            groups.computeIfAbsent(group(result), group -> new ArrayList<>()).add(result);
        }
        for (Map.Entry<String, List<Figure>> group : groups.entrySet()) {
            // Unlike PUT, POST keeps the time of the last success when a copy fails.
            HttpPost.send(
                    target,
                    "/metrics/job/" + target.path() + group.getKey(),
                    Map.of("Content-Type", Exposition.TEXT),
                    Exposition.text(group.getValue()).getBytes(StandardCharsets.UTF_8));
        }
        pushed = results;
    }

    private static String group(Figure result) {
        StringBuilder path = new StringBuilder();
        List<String> names = result.meter().labels();
        for (int i = 0; i < names.size(); i++) {
            if (!PARTS.contains(names.get(i))) {
                String value = result.labels().get(i);
                // In base64, since a name may contain a slash; "=" represents the empty text.
                String encoded = Base64.getUrlEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8));
                path.append('/').append(names.get(i)).append("@base64/").append(encoded.isEmpty() ? "=" : encoded);
            }
        }
        return path.toString();
    }
}
