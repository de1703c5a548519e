package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KernelConfigTest {
    @TempDir
    Path root;

    @Test
    void readsWhatTheKernelShowsOfItself() throws IOException {
        Files.createDirectories(root.resolve("proc"));
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(root.resolve("proc/config.gz")))) {
            out.write("CONFIG_SMP=y\nCONFIG_IRQ_TIME_ACCOUNTING=y\n".getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(KernelConfig.irqTimeAccounting(root, "6.1.0")).isTrue();
    }

    @Test
    void readsWhatTheDistributionKeepsOfTheRunningKernel() throws IOException {
        Files.createDirectories(root.resolve("boot"));
        Files.writeString(root.resolve("boot/config-6.1.0"), "# CONFIG_IRQ_TIME_ACCOUNTING is not set\n");
        Files.writeString(root.resolve("boot/config-6.2.0"), "CONFIG_IRQ_TIME_ACCOUNTING=y\n");
        assertThat(KernelConfig.irqTimeAccounting(root, "6.1.0")).isFalse();
        assertThat(KernelConfig.irqTimeAccounting(root, "6.2.0")).isTrue();
    }

    @Test
    void damagedOrMissingOnesTellNothing() throws IOException {
        assertThat(KernelConfig.irqTimeAccounting(root, "6.1.0")).isNull();
        Files.createDirectories(root.resolve("proc"));
        Files.writeString(root.resolve("proc/config.gz"), "no gzip");
        assertThat(KernelConfig.irqTimeAccounting(root, "6.1.0")).isNull();
    }
}
