package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.files.ListObserver;
import io.fdt.core.files.OperationObserver;
import io.fdt.core.files.OperationSummary;
import io.fdt.core.files.Operations;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileOperation.Action;
import io.fdt.core.plan.FileOperation.Piece;
import io.fdt.core.plan.RawPath;
import io.fdt.core.run.Running;
import io.fdt.core.transport.Await;
import io.fdt.core.wire.Bounds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of a server, and ranges of them, are read without a copy. */
class FdtReadTest {
    @TempDir
    Path directory;

    private Path root;
    private TestServer server;
    private Operations operations;

    @BeforeEach
    void open() throws IOException {
        root = Files.createDirectories(directory.resolve("root"));
        Path home = directory.resolve("home");
        server = new TestServer(home, root);
        operations = Fdt.at(home).operations("127.0.0.1", server.port(), Await.LIMIT_MS);
    }

    @AfterEach
    void close() {
        operations.close();
        server.close();
    }

    /** What came of a read. */
    private static class Read implements OperationObserver {
        final ByteArrayOutputStream data = new ByteArrayOutputStream();
        final List<String> entries = new CopyOnWriteArrayList<>();
        final List<Failure> failures = new CopyOnWriteArrayList<>();

        @Override
        public void onEntry(ListObserver.Entry entry, byte[] digest, @Nullable String doubt) {
            entries.add(entry.path().text() + " " + entry.bytes());
        }

        @Override
        public void onFailed(RawPath path, Failure why) {
            failures.add(why);
        }

        @Override
        public void onData(byte[] bytes) {
            data.writeBytes(bytes);
        }
    }

    private Running<OperationSummary> start(OperationObserver observer, List<Piece> pieces, String... paths) {
        List<RawPath> named = Stream.of(paths).map(RawPath::ofText).toList();
        return operations.start(new FileOperation(Action.READ, named, false, DigestKind.NONE, pieces), observer);
    }

    private byte[] file(String name, int lengthBytes, long seed) throws IOException {
        byte[] bytes = new byte[lengthBytes];
        new Random(seed).nextBytes(bytes);
        Files.write(root.resolve(name), bytes);
        return bytes;
    }

    @Test
    void rangesAreThoseOfTheFile() throws Exception {
        byte[] bytes = file("f", 3_000_001, 1);
        Random random = new Random(2);
        List<Piece> pieces = new ArrayList<>();
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int i = 0; i < 500; i++) {
            int offset = random.nextInt(bytes.length + 100);
            int length = random.nextInt(i % 50 == 0 ? 1_000_000 : 3_000);
            pieces.add(new Piece(0, offset, length));
            int from = Math.min(bytes.length, offset);
            expected.write(bytes, from, Math.min(bytes.length - from, length));
        }
        Read read = new Read();

        assertThat(start(read, pieces, "/f").await().failure()).isNull();

        assertThat(read.data.toByteArray()).isEqualTo(expected.toByteArray());
        assertThat(read.entries).containsExactly("/f 3000001");
    }

    @Test
    void rangesBehindHolesAndFarIntoLargeFilesAreRead() throws Exception {
        long far = 3L << 30;
        try (RandomAccessFile file = new RandomAccessFile(root.resolve("sparse").toFile(), "rw")) {
            file.seek(far);
            file.writeBytes("end");
        }
        Read read = new Read();

        assertThat(start(
                                read,
                                List.of(new Piece(0, far - 5, 100), new Piece(0, 0, 3), new Piece(0, far + 3, 9)),
                                "/sparse")
                        .await()
                        .failure())
                .isNull();

        assertThat(read.data.toByteArray()).isEqualTo(new byte[] {0, 0, 0, 0, 0, 'e', 'n', 'd', 0, 0, 0});
    }

    /** Each in its place, so that a program that knows the entries knows whose bytes are whose. */
    @Test
    void whatCannotBeReadHasNoDataAndDelaysNothing() throws Exception {
        byte[] first = file("a", 10, 1);
        byte[] last = file("z", 300_000, 2);
        Files.createFile(root.resolve("empty"));
        Files.createDirectory(root.resolve("dir"));
        Files.writeString(directory.resolve("secret"), "canary");
        Files.createSymbolicLink(root.resolve("out"), directory.resolve("secret"));
        Files.createSymbolicLink(root.resolve("link"), Path.of("a"));
        Read read = new Read();

        OperationSummary end = start(
                        read, List.of(), "/a", "/none", "/dir", "/out", "/../secret", "/empty", "/link", "/z")
                .await();

        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        Stream.of(first, first, last).forEach(expected::writeBytes);
        assertThat(read.data.toByteArray()).isEqualTo(expected.toByteArray());
        assertThat(read.entries).containsExactly("/a 10", "/empty 0", "/link 10", "/z 300000");
        assertThat(read.failures.stream().map(Failure::cause))
                .containsExactly(Cause.MISSING, Cause.SOURCE, Cause.OUTSIDE_ROOT, Cause.OUTSIDE_ROOT);
        assertThat(end.failed()).isEqualTo(4);
        assertThat(end.failure()).isNotNull();
    }

    @Test
    void manySmallFilesShareMessages() throws Exception {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            file("f" + i, 100, i);
            names.add("/f" + i);
        }
        List<Integer> messages = new CopyOnWriteArrayList<>();
        Read read = new Read() {
            @Override
            public void onData(byte[] bytes) {
                super.onData(bytes);
                messages.add(bytes.length);
            }
        };

        assertThat(start(read, List.of(), names.toArray(String[]::new)).await().failure())
                .isNull();

        assertThat(read.entries).hasSize(1_000);
        assertThat(read.data.size()).isEqualTo(100_000);
        assertThat(messages.size()).isLessThan(8);
    }

    /** The server waits for it, and other operations of its session go on. */
    @Test
    void aSlowReaderDelaysNoOtherOperation() throws Exception {
        byte[] bytes = file("big", 50 * Bounds.MAX_READ_BYTES, 1);
        file("small", 1, 2);
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Read slow = new Read() {
            @Override
            public void onData(byte[] some) {
                super.onData(some);
                reading.countDown();
                Await.until("the other operations are over", goOn);
            }
        };
        try (Running<OperationSummary> blocked = start(slow, List.of(), "/big")) {
            Await.until("the first data has come", reading);
            for (int i = 0; i < 20; i++) {
                Read quick = new Read();
                assertThat(start(quick, List.of(), "/small").await().failure()).isNull();
                assertThat(quick.data.size()).isEqualTo(1);
            }
            goOn.countDown();
            assertThat(blocked.await().failure()).isNull();
        }
        assertThat(slow.data.toByteArray()).isEqualTo(bytes);
        assertThat(server.started).hasSize(1);
    }

    @Test
    void aFileThatChangesMeanwhileFailsTheRead() throws Exception {
        file("big", 50 * Bounds.MAX_READ_BYTES, 1);
        Read read = new Read() {
            @Override
            public void onData(byte[] bytes) {
                if (data.size() == 0) {
                    try {
                        Files.write(root.resolve("big"), new byte[] {1}, StandardOpenOption.APPEND);
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                }
                super.onData(bytes);
            }
        };

        OperationSummary end = start(read, List.of(), "/big").await();

        assertThat(end.failure()).isNotNull().satisfies(why -> {
            assertThat(why.cause()).isEqualTo(Cause.CHANGED);
            assertThat(why.path()).isEqualTo("/big");
        });
    }

    @Test
    void aFailureOfTheObserverEndsTheReadAlone() throws Exception {
        file("big", 50 * Bounds.MAX_READ_BYTES, 1);
        Read read = new Read() {
            @Override
            public void onData(byte[] bytes) {
                throw Cause.READER_GONE.failure("has ended");
            }
        };

        OperationSummary end = start(read, List.of(), "/big").await();

        assertThat(end.failure())
                .isNotNull()
                .satisfies(why -> assertThat(why.cause()).isEqualTo(Cause.READER_GONE));
        Read again = new Read();
        assertThat(start(again, List.of(new Piece(0, 1, 2)), "/big").await().failure())
                .isNull();
        assertThat(again.data.size()).isEqualTo(2);
        assertThat(server.started).hasSize(1);
    }

    @Test
    void aStoppedReadEndsAtOnceWhileItsReaderWaits() throws Exception {
        file("big", 50 * Bounds.MAX_READ_BYTES, 1);
        CountDownLatch reading = new CountDownLatch(1);
        List<OperationSummary> ends = new CopyOnWriteArrayList<>();
        Read stuck = new Read() {
            @Override
            public void onData(byte[] bytes) {
                reading.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException stopped) {
                    throw TransferException.of(stopped);
                }
            }

            @Override
            public void onEnd(OperationSummary summary) {
                ends.add(summary);
            }
        };
        Running<OperationSummary> running = start(stuck, List.of(), "/big");
        Await.until("the first data has come", reading);

        running.interrupt(Failure.of(Cause.TERMINATED, "enough"));

        assertThat(running.await().failure())
                .isNotNull()
                .satisfies(why -> assertThat(why.cause()).isEqualTo(Cause.TERMINATED));
        assertThat(ends).hasSize(1);
    }

    @Test
    void noReadIsMadeThatAServerCannotAccept() {
        for (List<Piece> pieces : List.of(
                List.of(new Piece(1, 0, 1)), Collections.nCopies(FileOperation.MAX_PIECES + 1, new Piece(0, 0, 1)))) {
            assertThatThrownBy(() -> start(new Read(), pieces, "/f"))
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            e -> assertThat(e.is(Cause.USAGE)).isTrue());
        }
        assertThatThrownBy(() -> start(new Read(), List.of(new Piece(1, 0, 1), new Piece(0, 0, 1)), "/f", "/g"))
                .hasMessageContaining("in their order");
        assertThatThrownBy(() -> new Piece(0, Long.MAX_VALUE, 1)).hasMessageContaining("no range");
    }

    @Test
    void theServerCountsWhatWasRead() throws Exception {
        byte[] bytes = file("f", 1_000, 1);
        Read read = new Read();
        assertThat(start(read, List.of(new Piece(0, 0, 10), new Piece(0, 990, 100)), "/f")
                        .await()
                        .failure())
                .isNull();
        operations.close();

        Await.until("the session has ended", () -> server.ended.size() == 1);
        assertThat(read.data.toByteArray())
                .isEqualTo(concat(Arrays.copyOf(bytes, 10), Arrays.copyOfRange(bytes, 990, 1_000)));
        assertThat(server.ended.peek().bytes().inPlace()).isEqualTo(20);
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
