package io.fdt.system;

import io.fdt.core.Json;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A server that is ready.
 *
 * @param root where the remote paths of a test are
 * @param base what stands before them in URLs: nothing, or the path from the server's own root
 */
record FdtServer(FdtProcess process, String host, int port, Path root, String base) {
    private static final Duration READY_LIMIT = Duration.ofSeconds(30).multipliedBy(Workplace.SLOWNESS);

    /** Waits for the ready line and takes the port from it. */
    static FdtServer whenReady(FdtProcess process, Path root) {
        String line = process.awaitLine(READY_LIMIT, text -> text.contains("\"ready\""));
        Map<String, Object> ready = Json.object(line);
        if (!(ready.get("port") instanceof Long port) || !(ready.get("host") instanceof String host)) {
            throw process.failure("no host and port in " + line);
        }
        return new FdtServer(process, host, port.intValue(), root, "");
    }

    /** The same server for a test that sees only this directory below the root. */
    FdtServer below(Path directory) {
        return new FdtServer(process, host, port, directory, base + "/" + root.relativize(directory));
    }

    /** The URL of a path below the root; the path starts with a slash. */
    String url(String path) {
        return urlAt(port, path);
    }

    /** The same path reached through another port of this host, a proxy's. */
    String urlAt(int otherPort, String path) {
        String address = host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        return "fdt://" + address + ":" + otherPort + base + path;
    }
}
