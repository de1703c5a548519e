package io.fdt.core.hostile;

import io.fdt.core.TestServer;
import io.fdt.core.basic.Right;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Permission;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a client may do with its key, the work of another client ends well. {@code -Dfdt.sequences=…} sets the
 * number of sequences, and {@code -Dfdt.seed=…} the first seed; a failure names its own.
 */
class OtherKeysTest {
    private static final int SEQUENCES = Integer.getInteger("fdt.sequences", 1_000);
    private static final long FIRST_SEED = Long.getLong("fdt.seed", 1);

    /** What the other client may do; null for the same key. */
    private static final List<@Nullable Set<Right>> RIGHTS = Arrays.asList(
            EnumSet.of(Right.LIST),
            EnumSet.of(Right.LIST, Right.READ),
            EnumSet.of(Right.APPEND),
            EnumSet.of(Right.WRITE),
            EnumSet.allOf(Right.class),
            null);

    @TempDir
    Path directory;

    private Path home;
    private Path root;
    private TestServer server;
    private IssuedKey key;

    @BeforeEach
    void start() throws IOException {
        home = directory.resolve("home");
        root = Files.createDirectories(directory.resolve("root"));
        OtherKeys.makeFiles(root);
        server = new TestServer(home, root);
        key = new KeyStore(home).create("honest", new Permission(EnumSet.allOf(Right.class), false, List.of()), null);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HostileClient client(IssuedKey with) {
        return new HostileClient(server.address(), ServerAccess.of(Identity.loadOrCreate(home), with));
    }

    private static Stream<Arguments> pairs() {
        return Stream.of(OtherKeys.Work.values())
                .flatMap(work -> RIGHTS.stream().map(rights -> Arguments.of(work, rights)));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void nothingThatAnotherKeyDoesEndsTheWorkOfThisOne(OtherKeys.Work work, @Nullable Set<Right> rights) {
        IssuedKey other = rights == null
                ? key
                : new KeyStore(home).create("other", new Permission(rights, false, List.of()), null);
        int pairs = OtherKeys.Work.values().length * RIGHTS.size();
        try (OtherKeys both = new OtherKeys(root, client(key), client(other))) {
            for (int i = 0; i < (SEQUENCES + pairs - 1) / pairs; i++) {
                both.run(work, FIRST_SEED + i, rights == null || rights.contains(Right.WRITE));
                Await.until("all sessions have ended", () -> server.ended.size() == server.opened.size());
            }
        }
    }
}
