package io.fdt.core.nettest.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that begin together. */
class StartGateTest {
    @Test
    void nobodyBeginsBeforeTheLastIsReady() {
        List<String> begun = new ArrayList<>();
        StartGate gate = new StartGate(3);
        gate.arrive(() -> begun.add("one"));
        gate.arrive(() -> begun.add("two"));
        assertThat(begun).isEmpty();
        gate.arrive(() -> begun.add("three"));
        assertThat(begun).containsExactly("one", "two", "three");
    }

    @Test
    void oneAloneBeginsAtOnce() {
        List<String> begun = new ArrayList<>();
        StartGate.ofOne().arrive(() -> begun.add("one"));
        assertThat(begun).containsExactly("one");
    }
}
