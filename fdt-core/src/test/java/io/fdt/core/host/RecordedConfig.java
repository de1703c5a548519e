package io.fdt.core.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The configuration space of a PCI device, with PCI Express after power management in its list of capabilities. */
public final class RecordedConfig {
    /** The offset of the device's control word. */
    public static final int CONTROL_AT = 0x68;

    /** MaxReadReq 512 and MaxPayload 256, with relaxed ordering, extended tags and error reporting. */
    public static final int CONTROL = 0x2936;

    private static final int BYTES = 256;

    private RecordedConfig() {}

    public static byte[] bytes() {
        byte[] config = new byte[BYTES];
        config[0x06] = 0x10;
        config[0x34] = 0x40;
        config[0x40] = 0x01;
        config[0x41] = 0x60;
        config[0x60] = 0x10;
        config[CONTROL_AT] = (byte) CONTROL;
        config[CONTROL_AT + 1] = (byte) (CONTROL >> 8);
        return config;
    }

    /** Writes it for the device at this address of a recorded host, and returns that file. */
    public static Path place(Path root, String address) {
        try {
            Path device =
                    root.resolve("sys/devices/pci" + address.substring(0, 7)).resolve(address);
            Path file = device.resolve("config");
            Files.write(file, bytes());
            Path all = Files.createDirectories(root.resolve("sys/bus/pci/devices"));
            Files.createSymbolicLink(all.resolve(address), all.relativize(device));
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
