package io.fdt.core.storage.posix;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AclTest {
    private static final String NOBODY = "ffffffff";
    private static final String OWNER = "01000600" + NOBODY;
    private static final String NAMED = "02000700" + "e8030000";
    private static final String GROUP = "04000400" + NOBODY;
    private static final String MASK = "10000700" + NOBODY;
    private static final String OTHER = "20000000" + NOBODY;
    private static final String VERSION = "02000000";

    private static byte[] acl(String... parts) {
        return HexFormat.of().parseHex(String.join("", parts));
    }

    @Test
    void groupGetsItsOwnEntryAndNotTheMask() {
        byte[] acl = acl(VERSION, OWNER, NAMED, GROUP, MASK, OTHER);
        assertThat(Acl.isComplete(acl)).isTrue();
        assertThat(Acl.groupPermissions(acl)).isEqualTo(4);
        byte[] masked = acl(VERSION, OWNER, NAMED, "04000700" + NOBODY, "10000100" + NOBODY, OTHER);
        assertThat(Acl.groupPermissions(masked)).isEqualTo(1);
        assertThat(Acl.isComplete(acl(VERSION, OWNER, GROUP, OTHER))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                VERSION,
                "01000000" + OWNER + GROUP + OTHER,
                VERSION + OWNER + GROUP,
                VERSION + OWNER + NAMED + GROUP + OTHER,
                VERSION + OWNER + GROUP + NAMED + MASK + OTHER,
                VERSION + OWNER + OWNER + GROUP + OTHER,
                VERSION + OWNER + GROUP + OTHER + "40000000" + NOBODY,
                VERSION + OWNER + GROUP + OTHER + "03000000" + NOBODY,
                VERSION + "01000f00" + NOBODY + GROUP + OTHER,
                VERSION + "ff000600" + NOBODY + GROUP + OTHER,
                VERSION + OWNER + GROUP + OTHER + "20"
            })
    void refusesInvalidAcl(String hex) {
        assertThat(Acl.isComplete(acl(hex))).isFalse();
    }

    @Test
    void modeMaskRemovesPermissions() {
        byte[] acl = acl(VERSION, OWNER, NAMED, GROUP, MASK, "20000700" + NOBODY);
        assertThat(Acl.masked(acl, 0)).isEqualTo(acl);
        assertThat(Acl.masked(acl, 027))
                .isEqualTo(acl(VERSION, OWNER, "02000500e8030000", GROUP, "10000500" + NOBODY, "20000000" + NOBODY));
        assertThat(Acl.masked(acl, 0400))
                .isEqualTo(acl(VERSION, "01000200" + NOBODY, NAMED, GROUP, MASK, "20000700" + NOBODY));
    }

    @Test
    void acceptsAnyBytesWithoutException() {
        byte[] whole = acl(VERSION, OWNER, NAMED, GROUP, MASK, OTHER);
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThat(Acl.isComplete(cut)).as("%d bytes", length).isFalse();
            if (length >= 4) {
                assertThat(Acl.groupPermissions(cut)).isBetween(0, 7);
            }
        }
    }
}
