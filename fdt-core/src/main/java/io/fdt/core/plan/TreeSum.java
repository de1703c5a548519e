package io.fdt.core.plan;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.Sha256;
import io.fdt.core.digest.TreeDigest;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The digest of a whole tree, independent of the order of its entries: the sum, modulo 2^256, of the SHA-256 of each
 * entry's name, kind, size and content digest, truncated to the length of the session's digest. Not thread-safe.
 */
public final class TreeSum {
    private final DigestKind kind;
    private final MessageDigest sha = Sha256.begin();
    private final byte[] sum = new byte[DigestKind.MAX_BYTES];
    private boolean complete = true;
    private boolean empty = true;

    public TreeSum(DigestKind kind) {
        this.kind = kind;
    }

    public void add(FileEntry entry, byte[] contentDigest) {
        empty = false;
        RawPath link = entry.kind() == FileEntry.Kind.LINK ? entry.linkTarget() : null;
        ByteBuffer fixed = ByteBuffer.allocate(2 * Integer.BYTES + Long.BYTES);
        fixed.putInt(entry.kind().code())
                .putLong(entry.sizeBytes())
                .putInt(entry.path().lengthBytes());
        sha.update(fixed.array());
        sha.update(entry.path().toBytes());
        sha.update(link == null ? contentDigest : link.toBytes());
        byte[] item = sha.digest();
        int carry = 0;
        for (int i = sum.length - 1; i >= 0; i--) {
            carry += (sum[i] & 0xFF) + (item[i] & 0xFF);
            sum[i] = (byte) carry;
            carry >>>= 8;
        }
    }

    /** Adds an entry whose content was not hashed. */
    public void addUnknown() {
        complete = false;
    }

    /** Null if an entry's content was not hashed, or if there is none. */
    public @Nullable String print() {
        return complete && !empty && kind != DigestKind.NONE
                ? TreeDigest.print(kind, Arrays.copyOf(sum, kind.lengthBytes()))
                : null;
    }
}
