package io.fdt.core.storage.target;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The process's file mode mask, read without changing it: umask(2) returns it only by setting it. */
public final class Umask {
    private static final Pattern LINE = Pattern.compile("^Umask:\\s*([0-7]+)$", Pattern.MULTILINE);
    private static final int DEFAULT = 022;
    /** The permissions that new files do not get by default. */
    public static final int VALUE = read();

    private Umask() {}

    /** Returns the permission bits that new files get by default. */
    static int apply(int mode) {
        return mode & ~VALUE;
    }

    private static int read() {
        try {
            Matcher line = LINE.matcher(Files.readString(Path.of("/proc/self/status"), StandardCharsets.ISO_8859_1));
            return line.find() ? Integer.parseInt(line.group(1), 8) : DEFAULT;
        } catch (IOException unreadable) {
            return DEFAULT;
        }
    }
}
