package io.fdt.monitor.push;

import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Sample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Influx line protocol over HTTP: a measurement for each meter, its labels and the host as tags, one field {@code
 * value}. With a token, the URL names a bucket of version 2; without one, a database of version 1, which
 * VictoriaMetrics also supports.
 */
public record InfluxPush(PushTarget target) implements Push {
    private static final String ROLE = "role";
    private static final String PID = String.valueOf(ProcessHandle.current().pid());

    @Override
    public void send(Sample sample, List<Figure> figures) throws IOException {
        byte[] body = lines(sample, figures).getBytes(StandardCharsets.UTF_8);
        String token = target.secret();
        String path = token == null ? "/write?precision=ms&db=" : "/api/v2/write?precision=ms&bucket=";
        Map<String, String> headers = new HashMap<>(Map.of("Content-Type", "text/plain; charset=utf-8"));
        if (token != null) {
            headers.put("Authorization", "Token " + token);
        }
        HttpPost.send(target, path + target.path(), headers, body);
    }

    public static String lines(Sample sample, List<Figure> figures) {
        StringBuilder out = new StringBuilder(64 * figures.size());
        for (Figure figure : figures) {
            List<String> names = figure.meter().seriesLabels(figure.labels());
            out.append(figure.meter().seriesName(figure.labels()));
            tag(out, "host", sample.view().host());
            tag(out, ROLE, sample.role());
            tag(out, "pid", PID);
            for (int i = 0; i < names.size(); i++) {
                String label = names.get(i);
                // InfluxDB refuses a point with the same tag twice.
                if (!label.equals(ROLE)) {
                    tag(out, label, figure.labels().get(i));
                }
            }
            out.append(" value=")
                    .append(figure.value())
                    .append(' ')
                    .append(sample.epochMs())
                    .append('\n');
        }
        return out.toString();
    }

    /**
     * An empty tag is not allowed, so it is omitted; a newline would start another point. InfluxDB and VictoriaMetrics
     * interpret two backslashes before the end of a tag differently, so there is never more than one. The name of a
     * peer's host may contain any characters.
     */
    private static void tag(StringBuilder out, String name, String value) {
        if (value.isEmpty()) {
            return;
        }
        out.append(',').append(name).append('=');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            boolean last = i == value.length() - 1;
            if (Character.isISOControl(c) || (c == '\\' && (last || endsTag(value.charAt(i + 1))))) {
                out.append('?');
            } else {
                if (endsTag(c)) {
                    out.append('\\');
                }
                out.append(c);
            }
        }
    }

    private static boolean endsTag(char c) {
        return c == ',' || c == '=' || c == ' ';
    }
}
