package io.fdt.core.storage.target;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.FileData;
import io.fdt.core.storage.posix.Paths;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The process's file mode mask, read without changing it: umask(2) returns it only by setting it. */
final class Umask {
    private static final Pattern LINE = Pattern.compile("^Umask:\\s*([0-7]+)$", Pattern.MULTILINE);
    private static final int USUAL = 022;
    private static final int VALUE = read();

    private Umask() {}

    /** Returns the permission bits that new files get by default. */
    static int apply(int mode) {
        return mode & ~VALUE;
    }

    private static int read() {
        int fd = Paths.openat(Paths.AT_FDCWD, RawPath.ofText("/proc/self/status"), Paths.O_RDONLY, 0);
        if (fd < 0) {
            return USUAL;
        }
        ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
        int count = FileData.readFrom(fd, Libc.addressOf(buffer), buffer.capacity());
        Descriptor.closeFd(fd);
        byte[] text = new byte[Math.max(0, count)];
        buffer.get(0, text);
        Matcher line = LINE.matcher(new String(text, StandardCharsets.ISO_8859_1));
        return line.find() ? Integer.parseInt(line.group(1), 8) : USUAL;
    }
}
