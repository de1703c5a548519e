package io.fdt.system;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** A running {@code batch} and its standard input. */
final class Batch {
    private final FdtProcess process;
    private final OutputStream in;

    Batch(Workplace at, Object... arguments) {
        Object[] all = new Object[arguments.length + 1];
        all[0] = "batch";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        process = at.track(
                FdtProcess.start(at.setup("batch", all), ProcessBuilder.Redirect.PIPE, ProcessBuilder.Redirect.PIPE));
        in = process.stdin();
    }

    /** Sends a request, whose quotes may be single ones. */
    void send(String line) throws IOException {
        in.write((line.replace('\'', '"') + "\n").getBytes(StandardCharsets.UTF_8));
        in.flush();
    }

    /** Returns the first answer of this type to a request. */
    String await(int id, String type) {
        return await(id, type, "");
    }

    /** Returns the first answer to a request with this type, or one of them, and this text. */
    String await(int id, String types, String text) {
        String pattern = "\\{\"id\":" + id + ",\"type\":\"(" + types + ")\".*";
        return process.awaitLine(Workplace.LIMIT, line -> line.contains(text) && line.matches(pattern));
    }

    FdtProcess process() {
        return process;
    }

    Outcome end() throws IOException {
        in.close();
        return process.await(Workplace.LIMIT);
    }
}
