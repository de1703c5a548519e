package io.fdt.system;

import java.nio.file.Path;

/**
 * A server and a local directory with a direction between them, so that one test body does for push and pull.
 *
 * @param port what the client connects to: the server's, or a proxy's before it
 */
record Route(Direction direction, FdtServer server, int port, Path local) {
    /** Who sends. */
    enum Direction {
        PUSH,
        PULL
    }

    /** A server of the directory {@code remote}, and the directory {@code local}; without options it may be shared. */
    static Route of(Workplace at, Direction direction, Object... serverOptions) {
        FdtServer server = serverOptions.length == 0 ? at.serverForCopies() : at.server(serverOptions);
        return new Route(direction, server, server.port(), at.directory("local"));
    }

    /** The same with a server of its own, for tests that stop it. */
    static Route alone(Workplace at, Direction direction) {
        FdtServer server = at.server();
        return new Route(direction, server, server.port(), at.directory("local"));
    }

    /** The same with a proxy before the server; it is closed after the test. */
    Route through(FaultProxy proxy) {
        return new Route(direction, server, proxy.port(), local);
    }

    /** The same with another server on the same files. */
    Route to(FdtServer other) {
        return new Route(direction, other, other.port(), local);
    }

    /** Where a source's files are. */
    Path sourcePath(String name) {
        return (direction == Direction.PUSH ? local : server.root()).resolve(name);
    }

    Path targetPath(String name) {
        return (direction == Direction.PUSH ? server.root() : local).resolve(name);
    }

    /** How the client names a source; a trailing slash of the name is kept. */
    String source(String name) {
        return direction == Direction.PUSH ? local + "/" + name : server.urlAt(port, "/" + name);
    }

    String target(String name) {
        return direction == Direction.PUSH ? server.urlAt(port, "/" + name) : local + "/" + name;
    }
}
