package io.fdt.core.shard;

import io.fdt.core.basic.NewFile;
import io.fdt.core.digest.Sha256;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Writes one shard under a temporary name, and counts its content. For one thread. */
final class ShardWriter implements AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path file;
    private final NewFile written;
    private final Costs costs;
    private final MessageDigest sha = Sha256.begin();
    private final DataOutputStream out;
    private final EntryWriter entries;
    private long files;
    private long bytes;
    private long cost;

    ShardWriter(Path file, ShardHeader header, Costs costs) {
        this.file = file;
        this.costs = costs;
        try {
            this.written = NewFile.of(file);
            this.out = new DataOutputStream(
                    new BufferedOutputStream(new DigestOutputStream(written.stream(), sha), BUFFER_BYTES));
            header.writeTo(out);
        } catch (IOException e) {
            throw JobFiles.unwritable(file, e);
        }
        this.entries = new EntryWriter(out);
    }

    void add(PlannedEntry planned) {
        try {
            entries.add(planned);
        } catch (IOException e) {
            throw JobFiles.unwritable(file, e);
        }
        files += planned.isFile() ? 1 : 0;
        bytes += planned.bytes();
        cost += planned.implied() ? 0 : planned.bytes() + costs.entryBytes();
    }

    /** Gives the shard its name, and returns its totals. */
    JobShard finish(int number) {
        try {
            entries.end();
            out.flush();
            written.publish();
        } catch (IOException e) {
            throw JobFiles.unwritable(file, e);
        }
        return new JobShard(
                number, entries.count(), files, bytes, cost, HexFormat.of().formatHex(sha.digest()));
    }

    @Override
    public void close() {
        try {
            written.close();
        } catch (IOException e) {
            throw JobFiles.unwritable(file, e);
        }
    }
}
