package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where tokens are found, and which files count. */
final class TokensTest {
    @TempDir
    Path directory;

    private Path write(String name, String text) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    private static BearerToken found(Map<String, String> environment) {
        return Objects.requireNonNull(Tokens.NONE.withEnvironment(environment).found());
    }

    @Test
    void findsTheFirstOfThePlaces() throws IOException {
        String named = write("named", " of-file\n").toString();
        write("bt_u" + Libc.geteuid(), "of-runtime");
        String runtime = directory.toString();
        Map<String, String> all =
                Map.of("BEARER_TOKEN", " of-variable\n", "BEARER_TOKEN_FILE", named, "XDG_RUNTIME_DIR", runtime);
        assertThat(found(all).read()).isEqualTo("of-variable");
        assertThat(found(Map.of("BEARER_TOKEN_FILE", named, "XDG_RUNTIME_DIR", runtime))
                        .read())
                .isEqualTo("of-file");
        assertThat(found(Map.of("BEARER_TOKEN", " ", "XDG_RUNTIME_DIR", runtime))
                        .read())
                .isEqualTo("of-runtime");
    }

    @Test
    void findsTheOnlyTokenOfAJob() throws IOException {
        write("cms.use", "{\"access_token\": \"of-job\", \"expires_in\": 1200}");
        write("cms.top", "refresh");
        Map<String, String> job = Map.of("_CONDOR_CREDS", directory.toString(), "XDG_RUNTIME_DIR", "/proc");
        assertThat(found(job).read()).isEqualTo("of-job");
        write("other.use", "{}");
        assertThat(Tokens.NONE.withEnvironment(job).found()).isNull();
    }

    @Test
    void aRenewedTokenIsReadAgain() throws IOException {
        BearerToken token = BearerToken.ofFile(write("t", "first"));
        assertThat(token.read()).isEqualTo("first");
        write("t", "second");
        assertThat(token.read()).isEqualTo("second");
    }

    @Test
    void refusesWhatIsNoToken() throws IOException {
        for (String text :
                new String[] {"", " \n", "two words", "{\"token\": 1}", "{", "ü", "x".repeat((16 << 10) + 1)}) {
            BearerToken token = BearerToken.ofFile(write("t", text));
            assertRefused(token::read, "contains no bearer token");
        }
        assertRefused(BearerToken.ofFile(directory.resolve("none"))::read, "does not exist");
    }

    @Test
    void refusesAFileThatOthersCanChange() throws IOException {
        Path file = write("t", "s3cret");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
        assertRefused(BearerToken.ofFile(file)::read, "other users can change it");
    }

    @Test
    void neverShowsTheToken() throws IOException {
        assertThat(BearerToken.ofVariable("s3cret").toString()).doesNotContain("s3cret");
        Tokens tokens = Tokens.NONE.withEnvironment(Map.of("BEARER_TOKEN", "s3cret"));
        assertThat(tokens.toString()).doesNotContain("s3cret");
        assertThat(String.valueOf(tokens.foundFor("h")))
                .contains("BEARER_TOKEN")
                .doesNotContain("s3cret");
        BearerToken wrong = BearerToken.ofFile(write("t", "s3cret s3cret"));
        assertThatThrownBy(wrong::read).hasMessageNotContaining("s3cret");
    }

    private static void assertRefused(ThrowingCallable call, String text) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.REFUSED))
                .hasMessageContaining(text);
    }
}
