package io.fdt.system;

import io.fdt.core.Json;
import java.nio.file.Path;
import java.util.Map;

/**
 * A server that is ready.
 *
 * @param root the local directory of the remote paths of a test
 * @param base the prefix of remote paths in URLs: empty, or the path from the server's own root
 */
record FdtServer(FdtProcess process, String host, int port, Path root, String base) {
    /** Waits for the ready line and reads the port from it. */
    static FdtServer whenReady(FdtProcess process, Path root) {
        String line = process.awaitLine(Workplace.LIMIT, text -> text.contains("\"ready\""));
        Map<String, Object> ready = Json.object(line);
        if (!(ready.get("port") instanceof Long port) || !(ready.get("host") instanceof String host)) {
            throw process.failure("no host and port in " + line);
        }
        return new FdtServer(process, host, port.intValue(), root, "");
    }

    /** Returns the same server for a test that sees only this directory below the root. */
    FdtServer below(Path directory) {
        return new FdtServer(process, host, port, directory, base + "/" + root.relativize(directory));
    }

    /** Returns the URL of a path below the root. The path starts with a slash. */
    String url(String path) {
        return urlAt(port, path);
    }

    /** Returns the URL of a path through another port of this host, such as the port of a proxy. */
    String urlAt(int otherPort, String path) {
        String address = host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        return "fdt://" + address + ":" + otherPort + base + path;
    }
}
