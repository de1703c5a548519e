package io.fdt.cli.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.key.KeyRing.KnownKey;
import io.fdt.cli.key.KeyRing.Role;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyRingTest {
    @TempDir
    Path directory;

    private KeyRing ring(String home) {
        return new KeyRing(directory.resolve(home));
    }

    @Test
    void carriesAKeyFromOneHomeToAnother() {
        String line = ring("server").line();
        assertThat(line).startsWith("fdt-key:");
        assertThat(ring("server").line()).isEqualTo(line);
        KnownKey own = ring("server").list().get(0);
        assertThat(own.role()).isEqualTo(Role.ADMITS);
        assertThat(own.note()).isEqualTo("list, read, write, delete, owners, all roots");

        KnownKey kept = ring("client").keep(line, "dtn2:4000");
        assertThat(kept.id()).isEqualTo(own.id());
        assertThat(kept.note()).startsWith("server sha256:");
        assertThat(ring("client").keep(line, null).name()).isEqualTo("*");
        assertThat(ring("client").list().stream().map(KnownKey::name)).containsExactlyInAnyOrder("dtn2:4000", "*");
        assertThat(ring("client").list().toString()).doesNotContain(line.substring("fdt-key:".length()));
    }

    @Test
    void forgetsWhatIsRevokedOnEitherSide() {
        String line = ring("server").line();
        ring("client").keep(line, "dtn2");
        assertThat(ring("client").revoke("dtn2")).isFalse();
        assertThat(ring("client").forget("dtn2")).isTrue();
        assertThat(ring("client").forget("dtn2")).isFalse();
        assertThat(ring("server").revoke("default")).isTrue();
        assertThat(ring("server").list()).isEmpty();
        assertThatThrownBy(() -> ring("server").line())
                .hasMessage("the key default was revoked, or its secret is not in this home; for another machine run:"
                        + " fdt key create NAME; for this one: fdt key create default --replace");
    }
}
