package io.fdt.core.storage.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;
import org.junit.jupiter.api.Test;

final class RememberedPathsTest {
    private static RawPath path(int number) {
        return RawPath.ofText("path-" + number);
    }

    @Test
    void allSetsShareTheRoomAndGiveTheirsBack() {
        RememberedPaths.Share share = new RememberedPaths.Share(10);
        try (RememberedPaths one = new RememberedPaths("--one", "copy in parts", share)) {
            for (int i = 0; i < 6; i++) {
                one.add(path(i));
            }
            assertThat(one.contains(path(5))).isTrue();
            assertThat(one.contains(path(6))).isFalse();
            try (RememberedPaths other = new RememberedPaths("--other", "copy in parts", share)) {
                assertThatThrownBy(() -> {
                            for (int i = 0; i < 6; i++) {
                                other.add(path(i));
                            }
                        })
                        .hasMessage("--other can remember 10 paths in the heap of the receiver, but there are more;"
                                + " copy in parts, or give the receiver a larger heap (java -Xmx)")
                        .isInstanceOfSatisfying(
                                TransferException.class,
                                e -> assertThat(e.kind()).isEqualTo(FailureKind.LIMIT));
                assertThat(other.contains(path(3))).isTrue();
            }
            for (int i = 6; i < 10; i++) {
                one.add(path(i));
            }
        }
    }
}
