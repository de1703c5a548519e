package io.fdt.core.host.tune;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.host.tune.Write.Format;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of every file before fdt first wrote to it, so that it can be restored. A text of lines with
 * tab-separated fields; the last line has the number of entries, so that a truncated journal is detected. It is
 * replaced as a whole: a copy beside it is flushed and renamed over it, and the directory is flushed, so either the old
 * or the new one always exists.
 *
 * @param bootId of the kernel that the originals belong to; empty if it has none
 * @param balancer how irqbalance was stopped; empty if it was not
 */
record TuneJournal(String bootId, String balancer, Map<String, Entry> entries) {
    private static final String FILE = "journal";
    private static final String HEADER = "fdt-tune-journal 1";

    TuneJournal {
        entries = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(entries));
    }

    /** One file: the owner of its value, its original content, and what fdt last wrote to it. */
    record Entry(String path, Format format, String owner, String original, String value) {}

    static TuneJournal empty(String bootId) {
        return new TuneJournal(bootId, "", Map.of());
    }

    /** Returns the journal with these entries added; existing entries keep their originals. */
    TuneJournal with(String newBalancer, Collection<Entry> added) {
        Map<String, Entry> all = new LinkedHashMap<>(entries);
        for (Entry entry : added) {
            Entry first = all.get(entry.path());
            String original = first == null ? entry.original() : first.original();
            all.put(entry.path(), new Entry(entry.path(), entry.format(), entry.owner(), original, entry.value()));
        }
        return new TuneJournal(bootId, balancer.isEmpty() ? newBalancer : balancer, all);
    }

    /** Returns null if there is none. */
    static @Nullable TuneJournal read(StateDirectory directory) {
        try {
            String text = directory.read(FILE);
            return text == null ? null : parse(text, directory.resolve(FILE));
        } catch (IOException e) {
            throw Cause.SOURCE.failure(
                    "cannot read " + directory.resolve(FILE) + ": " + TransferException.reason(e), e);
        }
    }

    /** The deletion is durable when this returns. */
    void store(StateDirectory directory) {
        try {
            directory.replace(FILE, text());
        } catch (IOException e) {
            throw Cause.TARGET.failure(
                    "cannot write " + directory.resolve(FILE) + ", so nothing was changed: "
                            + TransferException.reason(e),
                    e);
        }
    }

    /** Deletes the journal, after everything has been restored. */
    static void delete(StateDirectory directory) {
        try {
            directory.delete(FILE);
        } catch (IOException e) {
            throw Cause.TARGET.failure(
                    "cannot remove " + directory.resolve(FILE) + ": " + TransferException.reason(e), e);
        }
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        text.append(HEADER).append('\n');
        line(text, "boot", bootId);
        line(text, "irqbalance", balancer);
        for (Entry entry : entries.values()) {
            line(text, "value", entry.path(), entry.format().name(), entry.owner(), entry.original(), entry.value());
        }
        line(text, "end", String.valueOf(entries.size()));
        return text.toString();
    }

    private static void line(StringBuilder text, String kind, String... fields) {
        text.append(kind);
        for (String field : fields) {
            text.append('\t')
                    .append(field.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n"));
        }
        text.append('\n');
    }

    private static TuneJournal parse(String text, Path file) {
        List<String> lines = text.lines().toList();
        String boot = "";
        String balancer = "";
        Map<String, Entry> entries = new LinkedHashMap<>();
        int count = -1;
        for (int i = 1; i < lines.size() && lines.get(0).equals(HEADER) && count < 0; i++) {
            try {
                String[] fields = lines.get(i).split("\t", -1);
                Arrays.setAll(fields, f -> fields[f].translateEscapes());
                switch (fields[0] + fields.length) {
                    case "boot2" -> boot = fields[1];
                    case "irqbalance2" -> balancer = fields[1];
                    case "value6" -> {
                        requireSafe(fields[1]);
                        Format format = Format.valueOf(fields[2]);
                        entries.put(fields[1], new Entry(fields[1], format, fields[3], fields[4], fields[5]));
                    }
                    case "end2" -> count = fields[1].equals(String.valueOf(entries.size())) ? entries.size() : -2;
                    default -> throw new IllegalArgumentException("a line of no kind");
                }
            } catch (IllegalArgumentException meaningless) {
                throw damaged(file, i + 1);
            }
        }
        if (count < 0) {
            throw damaged(file, lines.size());
        }
        return new TuneJournal(boot, balancer, entries);
    }

    /** Undo runs as root, so it only writes to files that apply can write to. */
    private static void requireSafe(String path) {
        if (path.contains("..")
                || !path.matches("(proc/irq/\\d+|proc/sys/net|sys/class/net)/[^\\x00]+"
                        + "|sys/bus/pci/devices/[0-9a-f]{4,8}(:[0-9a-f]{2}){2}\\.[0-7]/config")) {
            throw new IllegalArgumentException("apply writes no " + path);
        }
    }

    private static TransferException damaged(Path file, int line) {
        return Cause.INTEGRITY
                .advise("nothing was changed. A restart of the host undoes everything that fdt tune wrote; then remove"
                        + " the file")
                .failure(file + " is damaged at line " + line);
    }
}
