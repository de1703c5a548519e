package io.fdt.system;

import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One server for all tests of a class that test copies and not servers. Starting a server takes as long as three
 * copies. Each test works in its own directory below the server's root ({@link Workplace#Workplace(SharedServer)}), so
 * nothing that a test creates is outside of that root. The server must exit when requested.
 */
final class SharedServer implements BeforeAllCallback, AfterAllCallback {
    private final Workplace at = new Workplace();
    private @Nullable FdtServer started;

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        at.beforeEach(context);
        started = at.server();
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        try {
            FdtProcess process = server().process();
            process.signal("TERM");
            process.await(Workplace.LIMIT).expectExit(0);
        } finally {
            at.afterEach(context);
        }
    }

    private FdtServer server() {
        return Objects.requireNonNull(started, "the server has not been started");
    }

    /** The directory that contains the directories of the tests. */
    Path root() {
        return server().root();
    }

    /** The home of the server and of all clients that have its key. */
    Path home() {
        return at.home();
    }

    /** Returns the server with a directory of a test as its root. */
    FdtServer serving(Path directory) {
        return server().below(directory);
    }

    String transcript() {
        return server().process().transcript();
    }
}
