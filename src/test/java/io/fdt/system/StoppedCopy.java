package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import io.fdt.system.Route.Direction;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A tree with one big file whose copy, at 25 MiB/s, a test stops after 60 MiB and runs again. */
record StoppedCopy(Workplace at, Route direct, FaultProxy proxy) {
    private static final int MIB = 1 << 20;
    private static final long BIG_BYTES = 100L * MIB;

    static StoppedCopy of(Workplace at, Direction direction) {
        return of(at, Route.of(at, direction));
    }

    /** Prepares the tree and the proxy for a route. */
    static StoppedCopy of(Workplace at, Route direct) {
        Trees.small(direct.sourcePath("tree"), 1);
        Trees.file(direct.sourcePath("tree/big"), BIG_BYTES, 2);
        return new StoppedCopy(
                at, direct, at.closing(FaultProxy.before(direct.server().port())));
    }

    void changeSource() {
        Trees.file(direct.sourcePath("tree/big"), BIG_BYTES, 3);
    }

    FdtProcess start(Object... options) {
        return at.startCopy(words(direct.through(proxy), options));
    }

    FdtProcess startUntilTheMiddle(Object... options) {
        proxy.throttle(25 * MIB);
        FdtProcess client = start(options);
        Await.until("60 MiB are under way", Workplace.LIMIT, () -> proxy.totalBytes() > 60 * MIB);
        client.awaitAcknowledged(Workplace.LIMIT, 28 * MIB);
        return client;
    }

    Outcome again(Object... options) {
        return againThrough(direct, options);
    }

    private Outcome againThrough(Route route, Object... options) {
        Outcome rerun = at.copy(words(route, options)).expectExit(0);
        Trees.assertSame(direct.sourcePath("tree"), direct.targetPath("tree"));
        return rerun;
    }

    void assertRerunResumes() {
        assertRerunResumes(direct);
    }

    void assertRerunResumes(Route route) {
        Path target = route.targetPath("tree");
        Trees.assertNothingWrongUnderFinalNames(route.sourcePath("tree"), target);
        assertThat(target.resolve("big")).doesNotExist();
        Outcome rerun = againThrough(route);
        // 17 MiB of the acknowledged data are the small tree.
        assertThat(rerun.number("bytes_resumed")).isGreaterThanOrEqualTo(8 * MIB);
        assertThat(rerun.number("bytes_sent") + rerun.number("bytes_resumed"))
                .isLessThanOrEqualTo(BIG_BYTES + 20 * MIB);
    }

    private static Object[] words(Route route, Object[] options) {
        List<Object> words = new ArrayList<>(List.of(options));
        words.add(route.source("tree"));
        words.add(route.target(""));
        return words.toArray();
    }
}
