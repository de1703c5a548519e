package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.security.AccessKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Permission;
import io.fdt.core.storage.posix.FileWatch;
import io.fdt.core.token.Issuers;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a server reads its keys. No test waits for the look that a server takes in any case: it is a day away. */
final class KeyWatchTest {
    @TempDir
    Path directory;

    private final AtomicInteger looks = new AtomicInteger();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final AtomicInteger looksAfterExpiry = new AtomicInteger();
    private final AtomicInteger clockReads = new AtomicInteger();
    private final AtomicLong nanos = new AtomicLong();
    /** By how much the watch's clock advances whenever it is read. */
    private final AtomicLong stepNanos = new AtomicLong(TimeUnit.SECONDS.toNanos(1));

    private final AtomicBoolean failNextLook = new AtomicBoolean();
    private volatile @Nullable AccessKey expiring;
    private @Nullable KeyWatch watch;

    @AfterEach
    void stop() {
        if (watch != null) {
            watch.close();
        }
    }

    private void watch(KeyStore keys) {
        watch(keys, FileWatch::new);
    }

    private void watch(KeyStore keys, Function<@Nullable Path, FileWatch> watching) {
        ServerObserver observer = new ServerObserver() {
            @Override
            public void onKeyCreated(String name, String id) {
                events.add("created " + name);
            }

            @Override
            public void onKeyRevoked(String name, String id) {
                events.add("revoked " + name);
            }
        };
        watch = new KeyWatch(
                keys,
                Issuers.NONE,
                observer,
                () -> {
                    if (failNextLook.compareAndSet(true, false)) {
                        throw new OutOfMemoryError("of the test");
                    }
                    looks.incrementAndGet();
                    AccessKey key = expiring;
                    if (key != null && key.isExpired(Instant.now())) {
                        looksAfterExpiry.incrementAndGet();
                    }
                    return List.of();
                },
                TimeUnit.DAYS.toMillis(1),
                () -> {
                    clockReads.incrementAndGet();
                    return nanos.addAndGet(stepNanos.get());
                },
                watching);
    }

    private KeyStore home(String name) {
        KeyStore keys = new KeyStore(directory.resolve(name));
        keys.create("first", Permission.READ_ONLY, null);
        return keys;
    }

    /** Until a moment has passed in which it does not look: until then, it may look again at a file that is new. */
    private void awaitQuiet() {
        awaitQuiet(Duration.ofMillis(50));
    }

    private void awaitQuiet(Duration moment) {
        Await.until("quiet", () -> {
            int before = looks.get();
            Await.pass(moment);
            return looks.get() == before && before > 0;
        });
    }

    private void awaitEvent(String event) {
        Await.until(event, () -> events.contains(event));
    }

    @Test
    void doesNotLookWhileNothingChanges() {
        watch(home("h"));
        // Its last look at a new file may come late.
        awaitQuiet(Duration.ofSeconds(3));
    }

    @Test
    void notesTheUseOfAKeyAtMostOnceAMinute() throws IOException {
        KeyStore keys = home("h");
        String id = keys.list().get(0).id();
        stepNanos.set(0);
        watch(keys);
        Objects.requireNonNull(watch).onProven(id);
        Await.until("noted", () -> keys.lastUse(id) != null);
        Path use = directory.resolve("h/key-uses").resolve(id);
        Files.setLastModifiedTime(use, FileTime.fromMillis(1_000));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(30));
        watch.onProven(id);
        awaitQuiet();
        assertThat(keys.lastUse(id)).isEqualTo(Instant.ofEpochSecond(1));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(60));
        watch.onProven(id);
        Await.until("noted again", () -> !Instant.ofEpochSecond(1).equals(keys.lastUse(id)));
        assertThat(keys.revoke(id)).isTrue();
        assertThat(keys.lastUse(id)).isNull();
    }

    @Test
    void noticesAFileThatIsReplaced() {
        KeyStore keys = home("h");
        watch(keys);
        awaitQuiet();
        for (int round = 0; round < 20; round++) {
            events.clear();
            keys.create("next", Permission.READ_ONLY, null);
            awaitEvent("created next");
            assertThat(keys.revoke("next")).isTrue();
            awaitEvent("revoked next");
        }
    }

    @Test
    void noticesAFileThatIsWrittenInPlace() throws IOException {
        KeyStore keys = home("h");
        String without = Files.readString(directory.resolve("h/keys"));
        keys.create("next", Permission.READ_ONLY, null);
        watch(keys);
        awaitQuiet();
        Files.writeString(directory.resolve("h/keys"), without);
        awaitEvent("revoked next");
    }

    @Test
    void noticesAFileThatAppearsAndDisappears() throws IOException {
        Path file = directory.resolve("h/keys");
        KeyStore keys = home("h");
        String text = Files.readString(file);
        Files.delete(file);
        watch(keys);
        awaitQuiet();
        Path made = Files.writeString(directory.resolve("made"), text);
        Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rw-------"));
        for (int round = 0; round < 50; round++) {
            events.clear();
            Files.createLink(file, made);
            awaitEvent("created first");
            Files.delete(file);
            awaitEvent("revoked first");
        }
    }

    @Test
    void noticesAHomeThatIsMovedAwayAndMadeAgain() throws IOException {
        KeyStore keys = home("h");
        watch(keys);
        awaitQuiet();
        Files.move(directory.resolve("h"), directory.resolve("old"));
        awaitEvent("revoked first");
        keys.create("second", Permission.READ_ONLY, null);
        awaitEvent("created second");
        assertThat(keys.revoke("second")).isTrue();
        awaitEvent("revoked second");
    }

    @Test
    void noticesAHomeThatIsRemovedAndMadeAgain() throws IOException {
        KeyStore keys = home("h");
        watch(keys);
        awaitQuiet();
        try (var files = Files.list(directory.resolve("h"))) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory.resolve("h"));
        awaitEvent("revoked first");
        keys.create("second", Permission.READ_ONLY, null);
        awaitEvent("created second");
        awaitQuiet();
        assertThat(keys.revoke("second")).isTrue();
        awaitEvent("revoked second");
    }

    @Test
    void noticesAHomeThatIsMadeLater() {
        KeyStore keys = new KeyStore(directory.resolve("later"));
        watch(keys);
        Await.until("a look", () -> looks.get() > 0);
        keys.create("first", Permission.READ_ONLY, null);
        awaitEvent("created first");
    }

    @Test
    void noticesAChangeBehindASymbolicLink() throws IOException {
        KeyStore keys = home("h");
        Path elsewhere = Files.createDirectories(directory.resolve("a"));
        Path file = directory.resolve("h/keys");
        Files.move(file, elsewhere.resolve("keys"));
        Files.createSymbolicLink(file, directory.resolve("link/keys"));
        Files.createSymbolicLink(directory.resolve("link"), Path.of("a"));
        watch(keys);
        Await.until("a look", () -> looks.get() > 0);
        KeyStore other = home("b");
        other.create("second", Permission.READ_ONLY, null);
        Path temporary = Files.createSymbolicLink(directory.resolve("new"), Path.of("b"));
        Files.move(temporary, directory.resolve("link"), StandardCopyOption.ATOMIC_MOVE);
        awaitEvent("created second");
    }

    @Test
    void noticesAHomeBehindASymbolicLinkThatIsReplaced() throws IOException {
        home("a");
        home("b").create("second", Permission.READ_ONLY, null);
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("a"));
        watch(new KeyStore(link));
        awaitQuiet();
        Path temporary = Files.createSymbolicLink(directory.resolve("new"), Path.of("b"));
        Files.move(temporary, link, StandardCopyOption.ATOMIC_MOVE);
        awaitEvent("created second");
    }

    @Test
    void aFileThatIsGoneForAMomentRevokesNothing() throws IOException {
        KeyStore keys = home("h");
        Path file = directory.resolve("h/keys");
        Path away = directory.resolve("h/keys~");
        watch(keys);
        awaitQuiet();
        stepNanos.set(0);
        Files.move(file, away);
        Await.until("a look without the file", () -> clockReads.get() > 0 || !events.isEmpty());
        AtomicBoolean admitted = new AtomicBoolean();
        Objects.requireNonNull(watch).whenRead(() -> admitted.set(true));
        int before = clockReads.get();
        Await.until("another look", () -> clockReads.get() > before + 2 || !events.isEmpty());
        assertThat(admitted).isFalse();
        Files.move(away, file);
        Await.until("the client's turn", admitted::get);
        assertThat(events).isEmpty();
        Files.move(file, away);
        stepNanos.set(TimeUnit.SECONDS.toNanos(1));
        awaitEvent("revoked first");
    }

    @Test
    void watchesAlthoughItFailedToBegin() {
        KeyStore keys = home("h");
        AtomicInteger begun = new AtomicInteger();
        watch(keys, path -> {
            if (begun.incrementAndGet() == 1) {
                throw new OutOfMemoryError("of the test");
            }
            return new FileWatch(path);
        });
        Await.until("another attempt", () -> begun.get() == 2);
        awaitQuiet();
        keys.create("next", Permission.READ_ONLY, null);
        awaitEvent("created next");
    }

    @Test
    void looksAlthoughItCannotWatch() {
        KeyStore keys = home("h");
        watch(keys, path -> {
            throw new IllegalArgumentException("of the test");
        });
        keys.create("next", Permission.READ_ONLY, null);
        awaitEvent("created next");
    }

    @Test
    void looksAgainSoonAfterALookFailed() {
        KeyStore keys = home("h");
        watch(keys);
        awaitQuiet();
        int before = looks.get();
        failNextLook.set(true);
        Objects.requireNonNull(watch).whenRead(() -> {});
        Await.until("a failure", () -> !failNextLook.get());
        Await.until("another look", () -> looks.get() > before);
    }

    @Test
    void looksWhenAKeyExpires() {
        KeyStore keys = home("h");
        expiring = keys.create("short", Permission.READ_ONLY, Instant.now().plusSeconds(2))
                .key();
        watch(keys);
        Await.until("a look at the expired key", () -> looksAfterExpiry.get() > 0);
    }

    @Test
    void looksAtOnceWhenAKeyHasExpiredSinceTheLastLook() {
        KeyStore keys = home("h");
        Instant expires = Instant.now().minusSeconds(1);
        keys.create("short", Permission.READ_ONLY, expires);
        assertThat(KeyStore.nextExpiryMs(keys.list().stream(), expires.minusMillis(1)))
                .isEqualTo(1);
        assertThat(KeyStore.nextExpiryMs(keys.list().stream(), expires)).isGreaterThan(1);
    }

    @Test
    void watchesWithAKeyThatExpiresBeyondAnyClock() {
        KeyStore keys = home("h");
        keys.create("long", Permission.READ_ONLY, Instant.MAX);
        watch(keys);
        awaitQuiet();
        assertThat(keys.revoke("long")).isTrue();
        awaitEvent("revoked long");
    }
}
