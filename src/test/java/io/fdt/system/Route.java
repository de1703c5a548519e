package io.fdt.system;

import java.nio.file.Path;

/**
 * A server, a local directory and the direction of copies between them, so that one test body serves push and pull.
 *
 * @param port the port that the client connects to: that of the server, or of a proxy in front of it
 */
record Route(Direction direction, FdtServer server, int port, Path local) {
    /** Whether the client sends or receives. */
    enum Direction {
        PUSH,
        PULL
    }

    /**
     * Returns a route between a server for the directory {@code remote} and the directory {@code local}. Without
     * options the server may be shared with other tests.
     */
    static Route of(Workplace at, Direction direction, Object... serverOptions) {
        FdtServer server = serverOptions.length == 0 ? at.serverForCopies() : at.server(serverOptions);
        return new Route(direction, server, server.port(), at.directory("local"));
    }

    /** Like {@link #of}, with a server that is not shared, for tests that stop it. */
    static Route alone(Workplace at, Direction direction) {
        FdtServer server = at.server();
        return new Route(direction, server, server.port(), at.directory("local"));
    }

    Route through(FaultProxy proxy) {
        return new Route(direction, server, proxy.port(), local);
    }

    /** Returns the same route with another server for the same files. */
    Route to(FdtServer other) {
        return new Route(direction, other, other.port(), local);
    }

    /** The local path of a source's files. */
    Path sourcePath(String name) {
        return (direction == Direction.PUSH ? local : server.root()).resolve(name);
    }

    Path targetPath(String name) {
        return (direction == Direction.PUSH ? server.root() : local).resolve(name);
    }

    /** The name of a source on the command line of the client. Keeps a trailing slash. */
    String source(String name) {
        return direction == Direction.PUSH ? local + "/" + name : server.urlAt(port, "/" + name);
    }

    String target(String name) {
        return direction == Direction.PUSH ? server.urlAt(port, "/" + name) : local + "/" + name;
    }
}
