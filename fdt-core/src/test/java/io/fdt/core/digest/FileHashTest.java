package io.fdt.core.digest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FileHashTest {
    /** Check values that the definitions of these hashes publish, and that coreutils and zlib print. */
    @ParameterizedTest
    @CsvSource({
        "SHA256, 15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
        "MD5, 25f9e794323b453885f5181f1b624d0b",
        "ADLER32, 091e01de",
        "CRC32C, e3069283",
        "CRC32, cbf43926"
    })
    void matchesOtherPrograms(FileHash kind, String expected) {
        FileHash.Running hash = kind.begin();
        ByteBuffer direct = ByteBuffer.allocateDirect(16).put("123456789".getBytes(StandardCharsets.US_ASCII));
        hash.update().accept(direct.position(0).limit(4));
        hash.update().accept(direct.position(4).limit(9));

        byte[] result = hash.finish().get();

        assertThat(result).hasSize(kind.lengthBytes());
        assertThat(HexFormat.of().formatHex(result)).isEqualTo(expected);
        assertThat(FileHash.ofCode(kind.code())).isEqualTo(kind);
        assertThat(FileHash.ofLabel(kind.label())).isEqualTo(kind);
    }
}
