package io.fdt.core.host.tune;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How irqbalance is kept from moving interrupts. The way is decided first, so that the journal can hold it before
 * anything happens.
 */
interface Balancer {
    /** Of a recorded host, whose processes are not here. */
    Balancer NONE = new Balancer() {};

    /** How this one would be stopped: a text for the journal; empty when it is to be left alone. */
    default String way(int pid) throws IOException {
        return "";
    }

    default void stop(String way) throws IOException {}

    /** Starts it again, in the way in which it was stopped; one that has ended since stays so. */
    default void resume(String way) throws IOException {}

    /**
     * The one of the running host: by systemd where that started it, so that nobody starts it again behind our back;
     * else by freezing it.
     */
    final class ThisHost implements Balancer {
        private static final String UNIT = "irqbalance.service";
        private static final String BY_SYSTEMD = "systemd";
        private static final String FROZEN = "process ";
        private static final long LIMIT_SECONDS = 30;

        /** Behind the name in {@code /proc/PID/stat}, counted from the state: when it started. */
        private static final int START_TIME = 19;

        @Override
        public String way(int pid) throws IOException {
            boolean unit = Files.isDirectory(Path.of("/run/systemd/system"))
                    && run("systemctl", "is-active", "--quiet", UNIT) == 0;
            return unit ? BY_SYSTEMD : FROZEN + pid + " " + startTime(pid);
        }

        @Override
        public void stop(String way) throws IOException {
            if (way.equals(BY_SYSTEMD)) {
                must("systemctl", "stop", UNIT);
            } else {
                must("kill", "-STOP", way.split(" ", -1)[1]);
            }
        }

        @Override
        public void resume(String way) throws IOException {
            if (way.equals(BY_SYSTEMD)) {
                must("systemctl", "start", UNIT);
                return;
            }
            String[] words = way.split(" ", -1);
            int pid = words.length == 3 && words[1].matches("\\d{1,9}") ? Integer.parseInt(words[1]) : 0;
            // A number can belong to another process by now.
            if (pid > 0 && startTime(pid).equals(words[2])) {
                must("kill", "-CONT", words[1]);
            }
        }

        private static String startTime(int pid) {
            try {
                String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
                return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[START_TIME];
            } catch (IOException ended) {
                return "gone";
            }
        }

        private static void must(String... command) throws IOException {
            int exitCode = run(command);
            if (exitCode != 0) {
                throw new IOException(String.join(" ", command) + " ended with " + exitCode);
            }
        }

        private static int run(String... command) throws IOException {
            Process process = new ProcessBuilder(List.of(command))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                    throw new IOException(String.join(" ", command) + " did not end in " + LIMIT_SECONDS + " s");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(String.join(" ", command) + " was interrupted", e);
            } finally {
                process.destroyForcibly();
            }
            return process.exitValue();
        }
    }
}
