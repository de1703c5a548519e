package io.fdt.monitor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The Prometheus Pushgateway: what a scrape would show, under the job of the URL and this host as instance. */
final class PushgatewayPush implements Push {
    private final PushTarget target;
    private final Exposition exposition;

    PushgatewayPush(PushTarget target, Exposition exposition) {
        this.target = target;
        this.exposition = exposition;
    }

    @Override
    public void send(Sample sample, List<Figure> figures) throws IOException {
        String instance = sample.host().replaceAll("[^A-Za-z0-9_.-]", "_");
        HttpPost.send(
                "PUT",
                target.host(),
                target.port(),
                "/metrics/job/" + target.path() + (instance.isEmpty() ? "" : "/instance/" + instance),
                Map.of("Content-Type", Exposition.TEXT),
                exposition.render(Exposition.TEXT).getBytes(StandardCharsets.UTF_8));
    }
}
