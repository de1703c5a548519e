package io.fdt.core.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The loopback interface exists everywhere, but is no NIC for {@link Host}. */
class LinkSizesTest {
    private final LinkSizes sizes = new LinkSizes();

    @Test
    void readsWhatTheKernelHandlesAtATime() {
        assertThat(sizes.of("lo").get("gso_max_size")).isBetween(1L << 12, 1L << 20);
        assertThat(sizes.of("lo")).as("a second request on the same memory").isEqualTo(sizes.of("lo"));
    }

    @Test
    void knowsNothingAboutAnInterfaceThatDoesNotExist() {
        assertThat(sizes.of("nosuchnic")).isEmpty();
        assertThat(sizes.of("a-name-that-no-interface-can-have")).isEmpty();
    }
}
