package io.fdt.core.receipt;

import io.fdt.core.basic.NewFile;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * Writes a manifest file in the format of coreutils: one line with a hash, two spaces and a path for each file. It is
 * written as a {@link NewFile}. For one thread.
 */
public final class ManifestWriter implements AutoCloseable {
    private final RawPath path;
    private final NewFile file;
    private final OutputStream out;

    /** @throws TransferException TARGET, if the file cannot be written there */
    public ManifestWriter(RawPath path) {
        this.path = path;
        try {
            this.file = NewFile.named(Path.of(path.text()).toAbsolutePath());
        } catch (IOException | InvalidPathException e) {
            throw unwritable(e);
        }
        this.out = new BufferedOutputStream(file.stream(), 1 << 16);
    }

    private TransferException unwritable(Exception cause) {
        return Cause.NO_RECORD.failure(
                "cannot write the manifest " + path.display() + ": " + TransferException.reason(cause), cause);
    }

    public void add(byte[] hash, RawPath name) {
        try {
            out.write(line(hash, name));
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    /**
     * Formats a line. If the name contains a newline, a carriage return or a backslash, they are escaped, and the line
     * starts with a backslash.
     */
    public static byte[] line(byte[] hash, RawPath name) {
        ByteArrayOutputStream escaped = new ByteArrayOutputStream(name.lengthBytes() + 1);
        for (byte each : name.toBytes()) {
            switch (each) {
                case '\n' -> escaped.writeBytes(new byte[] {'\\', 'n'});
                case '\r' -> escaped.writeBytes(new byte[] {'\\', 'r'});
                case '\\' -> escaped.writeBytes(new byte[] {'\\', '\\'});
                default -> escaped.write(each);
            }
        }
        String mark = escaped.size() == name.lengthBytes() ? "" : "\\";
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        line.writeBytes((mark + HexFormat.of().formatHex(hash) + "  ").getBytes(StandardCharsets.US_ASCII));
        line.writeBytes(escaped.toByteArray());
        line.write('\n');
        return line.toByteArray();
    }

    /** Gives the file its name, durably. */
    public void publish() {
        try {
            out.flush();
            file.publish();
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    /** Removes the file if it was not published. */
    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw unwritable(e);
        }
    }
}
