package io.fdt.core.verify;

import static io.fdt.core.transport.Schedules.require;
import static io.fdt.core.transport.Schedules.together;

import io.fdt.core.plan.RawPath;
import io.fdt.core.transport.Schedules;
import io.fdt.core.wire.VerifyMessage.VerifyName;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A walk that looks up the names of a client as they come. */
final class NameQueueSchedulesTest {
    private static final VerifyName FIRST = new VerifyName(RawPath.ofText("a"), false, false);
    private static final VerifyName SECOND = new VerifyName(RawPath.ofText("b"), false, false);

    @Test
    void theWalkGetsEachNameOnceAndThenTheEnd() {
        Schedules.explore(80, () -> {
            NameQueue queue = new NameQueue();
            List<VerifyName> walked = new ArrayList<>();
            together(
                    () -> {
                        for (VerifyName next = queue.next(); next != null; next = queue.next()) {
                            walked.add(next);
                        }
                    },
                    () -> {
                        require(queue.add(List.of(FIRST)), "there is room");
                        require(queue.add(List.of(SECOND)), "there is room");
                        queue.end();
                    });
            require(walked.equals(List.of(FIRST, SECOND)), "each comes once");
        });
    }
}
