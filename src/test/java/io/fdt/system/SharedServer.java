package io.fdt.system;

import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One server for the tests of a class that are about copies and not about servers: a start of one costs as much as
 * three copies. Each test works in a directory of its own below the server's root
 * ({@link Workplace#Workplace(SharedServer)}), so nothing that a test makes is outside of that root. The server must
 * end by itself when it is asked to.
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

    /** Where the tests have their directories. */
    Path root() {
        return server().root();
    }

    /** Of the server, and of the clients that have its key. */
    Path home() {
        return at.home();
    }

    /** The server, with a directory of a test as its root. */
    FdtServer serving(Path directory) {
        return server().below(directory);
    }

    String transcript() {
        return server().process().transcript();
    }
}
