package io.fdt.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.Right;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyLimits;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Permission;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccountHelpersTest {
    /** A client that comes when there is room again must not find what was never started. */
    @Test
    void anAccountWhoseThreadCouldNotBeStartedIsTriedAgain(@TempDir Path home) throws Exception {
        IssuedKey key = key(home);
        List<Thread> tried = new ArrayList<>();
        LinkedBlockingQueue<TransferException> refused = new LinkedBlockingQueue<>();
        try (AccountHelpers helpers = new AccountHelpers(List.of(), ServerLimits.DEFAULT, thread -> {
            tried.add(thread);
            if (tried.size() == 1) {
                throw Cause.HOST_LIMIT.failure("the limit of threads is reached");
            }
            thread.start();
        })) {
            helpers.find(key.key(), "", route -> {}, refused::add);
            assertThat(refused.poll())
                    .hasMessageContaining("the limit of threads is reached")
                    .satisfies(why -> assertThat(why.failure().cause()).isEqualTo(Cause.UNAVAILABLE));

            helpers.find(key.key(), "", route -> {}, refused::add);
            assertThat(tried).hasSize(2);
            assertThat(refused.poll(1, TimeUnit.MINUTES)).hasMessageContaining("there is no account");
        }
    }

    private static IssuedKey key(Path home) throws IOException {
        Permission permission =
                new Permission(EnumSet.allOf(Right.class), false, List.of(), KeyLimits.NONE, "no-such-account-here");
        return new KeyStore(home).create("x", permission, null);
    }
}
