package io.fdt.core.storage.partial;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.target.TargetTree;
import io.fdt.core.transport.InBackground;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How many lanes are inside the kernel's write of one file at a time: more would spin for its lock. */
final class WritersTest extends StorageTest {
    private static final int LANES = 8;

    private final AtomicInteger writing = new AtomicInteger();
    private final AtomicInteger writingMax = new AtomicInteger();
    private final CountDownLatch twoWrite = new CountDownLatch(2);

    /** The kernel's disk; the first write lasts until a second one has begun. */
    private Disk disk() {
        return (Disk) Proxy.newProxyInstance(
                Disk.class.getClassLoader(), new Class<?>[] {Disk.class}, (proxy, method, arguments) -> {
                    boolean write = method.getName().equals("write") && arguments[2].equals(CHUNK_BYTES);
                    if (write) {
                        writingMax.accumulateAndGet(writing.incrementAndGet(), Math::max);
                        twoWrite.countDown();
                        twoWrite.await();
                    }
                    try {
                        return method.invoke(Disk.KERNEL, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    } finally {
                        if (write) {
                            writing.decrementAndGet();
                        }
                    }
                });
    }

    @Test
    void twoLanesWriteToALargeFileAtATimeAndAllOfItArrives() throws Exception {
        directory("out");
        FileEntry entry = fileEntry("f", (long) LANES * CHUNK_BYTES);
        byte[] chunk = new byte[CHUNK_BYTES];
        Arrays.fill(chunk, (byte) 'c');
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = new TargetTree(
                        disk(), root, raw("out"), rules(Existing.OVERWRITE), DigestKind.XXH3_128, CHUNK_BYTES, false)) {
            TargetFile file = ((Outcome.Wanted) tree.prepare(entry)).file();
            List<InBackground<Void>> lanes = new ArrayList<>();
            for (int lane = 0; lane < LANES; lane++) {
                long offset = (long) lane * CHUNK_BYTES;
                lanes.add(InBackground.run(() -> write(file, chunk, offset)));
            }
            lanes.forEach(InBackground::result);
            file.sync();
            file.seal();
            file.publish();
        }
        assertThat(writingMax).hasValue(2);
        assertThat(temporary.resolve("out/f")).hasSize((long) LANES * CHUNK_BYTES);
    }
}
