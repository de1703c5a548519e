package io.fdt.core.control;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.security.Permission;
import io.fdt.core.wire.ControlCodec;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A process that delivers messages of every type to sessions whose threads are busy, and prints what the process then
 * holds. Nothing else runs in it.
 */
final class WaitingMessages {
    static final int SESSIONS = 8;
    private static final int MESSAGES = 20_000;
    private static final String PREFIX = "held ";

    private WaitingMessages() {}

    /** What one session holds, except temporary files, direct memory and descriptors: those are of all sessions. */
    record Held(String type, long sentBytes, long heapBytes, long directBytes, long descriptors, long temporaryFiles) {
        static Optional<Held> parse(String line) {
            if (!line.startsWith(PREFIX)) {
                return Optional.empty();
            }
            String[] words = line.substring(PREFIX.length()).split(" ", -1);
            return Optional.of(new Held(
                    words[0],
                    Long.parseLong(words[1]),
                    Long.parseLong(words[2]),
                    Long.parseLong(words[3]),
                    Long.parseLong(words[4]),
                    Long.parseLong(words[5])));
        }

        String line() {
            return PREFIX + type + " " + sentBytes + " " + heapBytes + " " + directBytes + " " + descriptors + " "
                    + temporaryFiles;
        }
    }

    /** The type of a message and its size: there may be two examples of a type. */
    static String nameOf(byte[] encoded) {
        return ControlCodec.typeOf(encoded, "peer").getSimpleName() + "/" + encoded.length;
    }

    public static void main(String[] arguments) throws IOException {
        List<byte[]> messages =
                WaitingMessagesTest.everyType().map(ControlCodec::encode).toList();
        // The first time, classes are loaded.
        measure(messages.get(0));
        for (byte[] encoded : messages) {
            System.out.println(measure(encoded).line());
        }
    }

    private static Held measure(byte[] encoded) throws IOException {
        Budget budget = new Budgets(Map.of(Resource.HEAP, 1L << 30), () -> false).open("key");
        List<SessionInSteps> sessions = new ArrayList<>();
        try {
            for (int i = 0; i < SESSIONS; i++) {
                sessions.add(new SessionInSteps(() -> 0, 1, Permission.ALL, budget));
            }
            long files = openFiles();
            long direct = directBytes();
            long spilled = temporaryFiles();
            long heap = usedHeap();
            long sent = 0;
            for (SessionInSteps session : sessions) {
                for (int i = 0; i < MESSAGES && !session.isHeld() && !session.isEnded(); i++) {
                    session.deliver(encoded.clone());
                    sent += encoded.length;
                }
            }
            if (budget.held(Resource.HEAP) != 0) {
                throw new AssertionError("a message that waits is charged as part of its link");
            }
            return new Held(
                    nameOf(encoded),
                    sent / SESSIONS,
                    (usedHeap() - heap) / SESSIONS,
                    directBytes() - direct,
                    openFiles() - files,
                    temporaryFiles() - spilled);
        } finally {
            sessions.forEach(SessionInSteps::close);
        }
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    private static long openFiles() throws IOException {
        return count(Path.of("/proc/self/fd"));
    }

    private static long temporaryFiles() throws IOException {
        return count(Path.of(System.getProperty("java.io.tmpdir")));
    }

    private static long count(Path directory) throws IOException {
        try (Stream<Path> names = Files.list(directory)) {
            return names.count();
        }
    }
}
