package io.fdt.core.receipt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A receipt replaces the file that its user named when it is complete, and changes nothing else. */
final class ReceiptTest {
    @TempDir
    Path temp;

    private Path file() {
        return temp.resolve("r.json");
    }

    private Receipt begin() {
        return new Receipt(RawPath.of(file()), DigestKind.XXH3_128, "s");
    }

    private void writeOne() {
        try (Receipt receipt = begin()) {
            receipt.finish(json -> json.writeStringField("outcome", "ok"));
        }
    }

    private Stream<String> names() throws IOException {
        try (Stream<Path> all = Files.list(temp)) {
            return all.map(path -> String.valueOf(path.getFileName())).toList().stream();
        }
    }

    @Test
    void leavesAForeignPartFileAlone() throws IOException {
        Path victim = Files.writeString(temp.resolve("victim"), "mine");
        Files.writeString(temp.resolve("r.json.part"), "mine, too");
        writeOne();
        assertThat(file()).content().contains("\"outcome\":\"ok\"");
        assertThat(temp.resolve("r.json.part")).hasContent("mine, too");
        Files.delete(temp.resolve("r.json.part"));
        Files.createSymbolicLink(temp.resolve("r.json.part"), victim);
        writeOne();
        assertThat(victim).hasContent("mine");
        assertThat(names()).containsExactlyInAnyOrder("r.json", "r.json.part", "victim");
    }

    @Test
    void replacesTheEarlierOneOnlyWhenItIsWhole() throws IOException {
        Files.writeString(file(), "the one before");
        Receipt unfinished = begin();
        unfinished.close();
        assertThat(file()).hasContent("the one before");
        assertThatThrownBy(() -> {
                    try (Receipt failing = begin()) {
                        failing.finish(json -> {
                            throw new IOException("disk full");
                        });
                    }
                })
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("disk full");
        assertThat(file()).hasContent("the one before");
        assertThat(names()).containsExactly("r.json");
        writeOne();
        assertThat(file()).content().startsWith("{\"type\":\"fdt-receipt\"");
    }

    @Test
    void replacesTheTargetOfALink() throws IOException {
        Path elsewhere = Files.createDirectory(temp.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("kept"), "old");
        Files.createSymbolicLink(file(), elsewhere.resolve("kept"));
        writeOne();
        assertThat(file()).isSymbolicLink();
        assertThat(elsewhere.resolve("kept")).content().startsWith("{");
    }

    @Test
    void writesIntoANamedPipe() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", file().toString()).start().waitFor())
                .isZero();
        CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> {
            try (InputStream in = Files.newInputStream(file())) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new AssertionError("the pipe is there", e);
            }
        });
        writeOne();
        assertThat(read.get()).endsWith("}");
        assertThat(Files.isRegularFile(file())).isFalse();
        assertThat(names()).containsExactly("r.json");
    }
}
