package io.fdt.core.storage;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Looks whether what a journal vouches for is still there, by hashing it. */
final class RecordedData {
    private RecordedData() {}

    /** The records whose data has the digest that they name; none where there are no digests. May take long. */
    static List<ChunkRecord> sound(List<ChunkRecord> records, DigestKind kind, TargetFile file) {
        List<ChunkRecord> sound = new ArrayList<>();
        if (kind == DigestKind.NONE || records.isEmpty()) {
            return sound;
        }
        TreeDigest digest = new TreeDigest(kind);
        ByteBuffer leaf = ByteBuffer.allocateDirect(TreeDigest.LEAF_BYTES);
        long address = Pointer.nativeValue(Native.getDirectBufferPointer(leaf));
        for (ChunkRecord record : records) {
            digest.reset();
            for (long at = record.offset(); at < record.end(); at += TreeDigest.LEAF_BYTES) {
                int wanted = (int) Math.min(TreeDigest.LEAF_BYTES, record.end() - at);
                digest.addLeaf(leaf, address, 0, file.read(address, wanted, at));
            }
            if (Arrays.equals(digest.finish(), record.digest())) {
                sound.add(record);
            }
        }
        return sound;
    }
}
