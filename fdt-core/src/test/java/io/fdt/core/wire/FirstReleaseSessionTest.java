package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * The control channel of a copy by release 1.0, recorded in both directions ({@code >} is from the client): later
 * releases understand each message, and say the same if they have nothing new to say.
 */
class FirstReleaseSessionTest {
    @Test
    void eachMessageMeansTheSame() throws IOException {
        List<String> said = new ArrayList<>();
        for (String line : recorded()) {
            byte[] bytes = HexFormat.of().parseHex(line.substring(2));
            ControlMessage message = ControlCodec.decode(bytes, "peer");
            assertThat(HexFormat.of().formatHex(ControlCodec.encode(message, "peer")))
                    .as(message.toString())
                    .isEqualTo(line.substring(2));
            said.add(line.charAt(0) + message.getClass().getSimpleName());
        }
        assertThat(said)
                .contains(">ManifestPage", "<Verdicts", "<Acknowledged", "<FilesDone", ">Finish", "<Finished")
                .endsWith(">Leaving");
    }

    private static List<String> recorded() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(FirstReleaseSessionTest.class.getResourceAsStream("/release-1.0/session"))) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .toList();
        }
    }
}
