package io.fdt.cli.console;

import io.fdt.cli.value.Words;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Arguments and environment as the kernel holds them. The JVM decodes both with the locale's encoding and loses bytes
 * that are invalid in it (with {@code LANG=C}, all bytes that are not ASCII). Here every byte is preserved; bytes that
 * are not UTF-8 become the lone surrogates of {@link RawPath}.
 */
public final class ProcessTexts {
    private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");
    private static final Path ENVIRONMENT = Path.of("/proc/self/environ");

    private ProcessTexts() {}

    /** Returns the arguments of main, which are the last ones on the process's command line. */
    public static List<String> arguments(String[] decoded) {
        if (decoded.length == 0) {
            return List.of();
        }
        try {
            return arguments(Files.readAllBytes(COMMAND_LINE), decoded);
        } catch (IOException noProc) {
            return Arrays.asList(decoded);
        }
    }

    static List<String> arguments(byte[] commandLine, String[] decoded) {
        List<String> texts = split(commandLine);
        int first = texts.size() - decoded.length;
        if (first < 0) {
            return Arrays.asList(decoded);
        }
        List<String> last = texts.subList(first, texts.size());
        // A process's command line can be rewritten; in that case, the decoded arguments are more reliable.
        for (int i = 0; i < decoded.length; i++) {
            if (isPlain(last.get(i)) && !last.get(i).equals(decoded[i])) {
                return Arrays.asList(decoded);
            }
        }
        return List.copyOf(last);
    }

    public static Map<String, String> environment() {
        try {
            return environment(Files.readAllBytes(ENVIRONMENT), System.getenv());
        } catch (IOException noProc) {
            return System.getenv();
        }
    }

    static Map<String, String> environment(byte[] environ, Map<String, String> decoded) {
        Map<String, String> texts = new HashMap<>(decoded);
        for (String entry : split(environ)) {
            int equals = entry.indexOf('=');
            if (equals > 0) {
                texts.replace(entry.substring(0, equals), entry.substring(equals + 1));
            }
        }
        return Map.copyOf(texts);
    }

    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }

    private static List<String> split(byte[] bytes) {
        List<byte[]> parts = Words.split(bytes, 0);
        List<String> texts = new ArrayList<>();
        for (byte[] part : parts.subList(0, parts.size() - 1)) {
            texts.add(RawPath.ofBytes(part).text());
        }
        return texts;
    }
}
