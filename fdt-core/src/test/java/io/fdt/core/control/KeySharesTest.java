package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.security.AccessKey;
import io.fdt.core.security.Permission;
import io.fdt.core.security.Secret;
import org.junit.jupiter.api.Test;

class KeySharesTest {
    private final AccessKey key =
            new AccessKey("0011223344556677", "default", Secret.random(), Permission.READ_WRITE, null);
    private final KeyShares shares = new KeyShares(1_000, () -> false);

    @Test
    void whatIsOnlyUsefulIsGrantedWhilePlentyIsFree() {
        // A quarter of the 460 that are free above half.
        assertThat(shares.take(key, 4, 64, 10)).isEqualTo(4 + 11);
        assertThat(shares.take(key, 4, 64, 10)).isEqualTo(4 + 7);
        for (int session = 0; session < 10; session++) {
            assertThat(shares.take(key, 4, 64, 10)).isGreaterThanOrEqualTo(4);
        }
    }

    @Test
    void whatIsNeededIsGrantedToTheLast() {
        assertThat(shares.take(key, 60, 60, 10)).isEqualTo(60);
        assertThat(shares.take(key, 30, 64, 10)).isEqualTo(30);
        assertThat(shares.take(key, 30, 64, 10)).isEqualTo(10);
        assertThat(shares.take(key, 1, 64, 10)).isZero();
        shares.giveBack(key, 1_000);
        assertThat(shares.take(key, 1, 2, 10)).isEqualTo(2);
    }
}
