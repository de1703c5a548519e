package io.fdt.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.plan.RawPath;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProcessTextsTest {
    /** A name in Latin-1, one in UTF-8, one with an escape character. */
    private static final byte[][] NAMES = {{'m', (byte) 0xFC}, {'m', (byte) 0xC3, (byte) 0xBC}, {0x1B, 'x'}};

    private static byte[] commandLine(byte[]... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (String first : List.of("java", "-jar", "fdt.jar")) {
            out.writeBytes(first.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            out.write(0);
        }
        for (byte[] arg : args) {
            out.writeBytes(arg);
            out.write(0);
        }
        return out.toByteArray();
    }

    @Test
    void keepsEveryByteOfAnArgumentThatTheLocaleLost() {
        List<String> texts = ProcessTexts.arguments(commandLine(NAMES), new String[] {"m?", "m??", "\u001bx"});
        assertThat(texts).hasSize(3);
        for (int i = 0; i < NAMES.length; i++) {
            assertThat(RawPath.ofText(texts.get(i)).toBytes()).isEqualTo(NAMES[i]);
        }
    }

    @Test
    void keepsEmptyArguments() {
        assertThat(ProcessTexts.arguments(commandLine(new byte[0], new byte[] {'a'}), new String[] {"", "a"}))
                .containsExactly("", "a");
    }

    @Test
    void fallsBackToTheDecodedOnesWhenTheCommandLineWasRewritten() {
        assertThat(ProcessTexts.arguments(commandLine(new byte[] {'x'}), new String[] {"a"}))
                .containsExactly("a");
        assertThat(ProcessTexts.arguments(new byte[] {'x'}, new String[] {"a", "b"}))
                .containsExactly("a", "b");
    }

    @Test
    void findsItsOwnArgumentsInThisProcess() {
        assertThat(ProcessTexts.arguments(new String[0])).isEmpty();
    }

    @Test
    void keepsEveryByteOfAVariable() {
        byte[] environ = {'A', '=', (byte) 0xFC, 0, 'B', '=', 'x', '=', 'y', 0, 'C', 0};
        Map<String, String> texts = ProcessTexts.environment(environ, Map.of("A", "?", "B", "x=y", "D", "d"));
        assertThat(texts).containsOnly(Map.entry("A", "\uDCFC"), Map.entry("B", "x=y"), Map.entry("D", "d"));
    }
}
