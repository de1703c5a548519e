package io.fdt.cli.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The command that starts the process of an account. */
final class JavaAgainTest {
    private static final String[] CLOSED = {
        "-XX:+DisableAttachMechanism",
        "-XX:-CreateCoredumpOnCrash",
        "-XX:+SuppressFatalErrorMessage",
        "-XX:-UsePerfData"
    };

    private static List<String> command(Map<String, String> environment, String... running) throws IOException {
        List<String> words = JavaAgain.command(List.of(running), "/lib/fdt.jar", environment);
        return words.subList(1, words.size());
    }

    private static List<String> with(List<String> before, List<String> after) {
        return Stream.of(before, List.of(CLOSED), after).flatMap(List::stream).toList();
    }

    @Test
    void allWaysToStartAServerAreRepeated() throws IOException {
        assertThat(command(Map.of(), "java", "-Xmx1g", "-jar", "fdt.jar", "server", "-jar", "x"))
                .isEqualTo(with(List.of("-Xmx1g"), List.of("-jar", "fdt.jar")));
        assertThat(command(
                        Map.of(),
                        "java",
                        "-Xlog:disable",
                        "-Xlog:all=warning,cds*=off:stderr",
                        "-XX:SharedArchiveFile=/a",
                        "--add-exports",
                        "java.base/sun.nio.ch=ALL-UNNAMED",
                        "-cp",
                        "fdt.jar",
                        "io.fdt.cli.Main",
                        "server"))
                .isEqualTo(with(
                        List.of(
                                "-Xlog:disable",
                                "-Xlog:all=warning,cds*=off:stderr",
                                "-XX:SharedArchiveFile=/a",
                                "--add-exports",
                                "java.base/sun.nio.ch=ALL-UNNAMED"),
                        List.of("-cp", "/lib/fdt.jar", "io.fdt.cli.Main")));
        assertThatThrownBy(() -> command(Map.of(), "java", "-cp", "x", "org.example.Other", "server"))
                .isInstanceOf(IOException.class);
    }

    @Test
    void whatOpensAProcessIsLeftOut() throws IOException {
        assertThat(command(
                        Map.of(
                                "JAVA_TOOL_OPTIONS", " -Xss1m -javaagent:/a.jar",
                                "_JAVA_OPTIONS", "-Dx=y '-Dz=a b'"),
                        "java",
                        "-agentlib:jdwp=server=y",
                        "-agentpath:/a.so",
                        "-javaagent:/a.jar",
                        "-Xrunjdwp",
                        "-Dcom.sun.management.jmxremote.port=1",
                        "-XX:+StartAttachListener",
                        "-XX:-DisableAttachMechanism",
                        "-XX:OnError=sh",
                        "-XX:OnOutOfMemoryError=sh",
                        "-XX:+HeapDumpOnOutOfMemoryError",
                        "-XX:StartFlightRecording",
                        "-Xlog:gc:file=/var/log/gc",
                        "-XX:VMOptionsFile=/a",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-jar",
                        "fdt.jar",
                        "server"))
                .isEqualTo(with(List.of("-Xss1m", "-XX:+ExitOnOutOfMemoryError", "-Dx=y"), List.of("-jar", "fdt.jar")));
    }
}
