package io.fdt.cli.console;

import io.fdt.cli.value.Words;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Whether there is a terminal, and its size, by {@code stty}, which every system with terminals has. */
public final class Terminal {
    private Terminal() {}

    /** Whether a descriptor of this process is a terminal. The JDK reports that only for input and output together. */
    public static boolean isAt(int descriptor) {
        String target = opened(descriptor);
        return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
    }

    /** Whether standard input was closed: Java has then opened the file of its own classes in its place. */
    public static boolean isInputClosed() {
        return opened(0).equals(System.getProperty("java.home") + "/lib/modules");
    }

    private static String opened(int descriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
        } catch (IOException noProc) {
            return "";
        }
    }

    /** Whether a descriptor of this process is open for writing. */
    public static boolean isWritable(int descriptor) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/fdinfo/" + descriptor))) {
                if (line.startsWith("flags:")) {
                    // In octal; the last two bits are 0 for reading only.
                    return (Long.parseLong(line.substring("flags:".length()).strip(), 8) & 3) != 0;
                }
            }
        } catch (IOException notOpen) {
            return false;
        }
        return false;
    }

    /** Returns the output of stty for the terminal at its input; null if stty fails. */
    public static @Nullable String stty(Redirect input, long timeoutMs, String... words) {
        List<String> command = new ArrayList<>(List.of("stty"));
        command.addAll(List.of(words));
        try {
            Process stty = new ProcessBuilder(command)
                    .redirectInput(input)
                    .redirectError(Redirect.DISCARD)
                    .start();
            if (!stty.waitFor(timeoutMs, TimeUnit.MILLISECONDS)) {
                stty.destroyForcibly();
                return null;
            }
            String said = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            return stty.exitValue() == 0 ? said : null;
        } catch (IOException noSttyOrNoTerminal) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** Returns the rows and columns of the terminal at that input; zero or negative if they are unknown. */
    public static int[] size(Redirect input, long timeoutMs) {
        String size = stty(input, timeoutMs, "size");
        String[] numbers = size == null ? new String[0] : size.split(" ", -1);
        return numbers.length == 2 ? new int[] {Words.digits(numbers[0]), Words.digits(numbers[1])} : new int[2];
    }
}
