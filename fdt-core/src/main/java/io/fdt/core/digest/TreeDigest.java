package io.fdt.core.digest;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The digest of a chunk or a whole file: the root of a binary tree over leaves of {@link #LEAF_BYTES}, shaped as in RFC
 * 6962 (the left subtree is the largest complete one). Nodes are added from left to right, as leaves or as roots of
 * whole subtrees, so the digest of a file can be computed from the digests of its chunks, whatever their size. The
 * digest of a file of one leaf is the plain hash of its bytes, and of an empty file the hash of no bytes. Checksums of
 * all bytes are computed beside it, from those of the nodes.
 *
 * <p>Not thread-safe; {@link #reset} prepares it for the next digest. Adding a leaf allocates nothing.
 *
 * <p>The leading marker of inner nodes distinguishes them from leaves, as does the length of the file, which is always
 * compared together with the digest.
 */
public final class TreeDigest {
    /**
     * The bytes hashed in one call; a power of two. A leaf fits into a core's L2 cache next to a lane's other memory.
     */
    public static final int LEAF_BYTES = 128 * 1024;

    private static final int MAX_LEVELS = 64 - 17 + 1;
    private static final byte INNER_NODE = 1;

    private final NodeHash kind;
    /** Of the digest alone. */
    private final int length;

    private final LeafHash hash;
    private final RunningChecksums sums;
    /** Pending subtrees, largest first. Their levels decrease strictly, except for the last one added. */
    private final byte[] stack;

    private final int[] levels = new int[MAX_LEVELS + 1];
    private final byte[] inner;
    private int depth;

    public TreeDigest(NodeHash kind) {
        this.kind = kind;
        this.length = kind.digest().lengthBytes();
        this.hash = LeafHash.of(kind.digest());
        this.sums = new RunningChecksums(kind.sums());
        this.stack = new byte[(MAX_LEVELS + 1) * Math.max(1, length)];
        this.inner = new byte[1 + 2 * length];
        this.inner[0] = INNER_NODE;
    }

    public NodeHash kind() {
        return kind;
    }

    public void reset() {
        depth = 0;
        sums.reset();
    }

    /** Adds the next leaf; only the last one of a file may be shorter than {@link #LEAF_BYTES}. */
    public void addLeaf(ByteBuffer buffer, long address, int position, int lengthBytes) {
        sums.add(address + position, lengthBytes);
        if (length == 0) {
            return;
        }
        hash.hash(buffer, address, position, lengthBytes, stack, depth * length);
        push(0);
    }

    /** Adds a leaf of zeros that were not read because they are a hole. */
    public void addZeroLeaf(int lengthBytes) {
        sums.addZeros(lengthBytes);
        if (length == 0) {
            return;
        }
        if (lengthBytes == LEAF_BYTES) {
            System.arraycopy(ZeroTree.root(kind.digest(), 0), 0, stack, depth * length, length);
        } else {
            hash.hash(new byte[lengthBytes], lengthBytes, stack, depth * length);
        }
        push(0);
    }

    /** Adds a whole subtree of zeros that were not read: a power of two leaves, aligned to its size. */
    public void addZeroSubtree(int lengthBytes) {
        sums.addZeros(lengthBytes);
        if (length != 0) {
            addDigest(ZeroTree.root(kind.digest(), levelOf(lengthBytes)), lengthBytes);
        }
    }

    /** Whether zeros of this length can be added with {@link #addZeroSubtree} at the start of a chunk. */
    public static boolean isSubtree(int lengthBytes) {
        return lengthBytes >= LEAF_BYTES && Integer.bitCount(lengthBytes) == 1;
    }

    /** Adds the value of a subtree over the next bytes: a power of two leaves, or the last bytes of the file. */
    public void addSubtree(byte[] value, long sizeBytes) {
        sums.addPart(value, length, sizeBytes);
        if (length != 0) {
            addDigest(value, sizeBytes);
        }
    }

    private void addDigest(byte[] digest, long sizeBytes) {
        System.arraycopy(digest, 0, stack, depth * length, length);
        push(levelOf(sizeBytes));
    }

    private static int levelOf(long sizeBytes) {
        long leaves = (sizeBytes + LEAF_BYTES - 1) / LEAF_BYTES;
        return leaves <= 1 ? 0 : 64 - Long.numberOfLeadingZeros(leaves - 1);
    }

    /** Counts the node at the top of the stack, and merges neighbours of equal level. */
    private void push(int level) {
        levels[depth++] = level;
        while (depth > 1 && levels[depth - 1] == levels[depth - 2]) {
            mergeTop();
            levels[depth - 1]++;
        }
    }

    private void mergeTop() {
        System.arraycopy(stack, (depth - 2) * length, inner, 1, 2 * length);
        hash.hash(inner, inner.length, stack, (depth - 2) * length);
        depth--;
    }

    /**
     * Returns the root over everything that was added, followed by its checksums. Afterwards only {@link #reset} may be
     * called.
     */
    public byte[] finish() {
        byte[] out = new byte[kind.lengthBytes()];
        finish(out);
        return out;
    }

    /** Like {@link #finish()}, but writes to an array of at least the hash's length. */
    public void finish(byte[] out) {
        sums.write(out, length);
        if (length == 0) {
            return;
        }
        if (depth == 0) {
            hash.hash(inner, 0, out, 0);
            return;
        }
        while (depth > 1) {
            mergeTop();
        }
        System.arraycopy(stack, 0, out, 0, length);
    }

    /** Digests of leaves of zeros and of the trees over them, computed once per process. */
    private static final class ZeroTree {
        private static final int MAX_CHUNK_LEVEL = Integer.SIZE - 2 - 17;
        private static final Map<DigestKind, byte[][]> ROOTS = new ConcurrentHashMap<>();

        /** The root over 2^level leaves of zeros. */
        static byte[] root(DigestKind kind, int level) {
            return ROOTS.computeIfAbsent(kind, ZeroTree::compute)[level];
        }

        private static byte[][] compute(DigestKind kind) {
            byte[][] roots = new byte[MAX_CHUNK_LEVEL + 1][];
            roots[0] = new byte[kind.lengthBytes()];
            LeafHash.of(kind).hash(new byte[LEAF_BYTES], LEAF_BYTES, roots[0], 0);
            TreeDigest tree = new TreeDigest(kind);
            for (int level = 1; level <= MAX_CHUNK_LEVEL; level++) {
                tree.reset();
                tree.addSubtree(roots[level - 1], (long) LEAF_BYTES << (level - 1));
                tree.addSubtree(roots[level - 1], (long) LEAF_BYTES << (level - 1));
                roots[level] = tree.finish();
            }
            return roots;
        }
    }

    /** Formats a digest for display: {@code xxh3-128:99aa…}. */
    public static String print(DigestKind kind, byte[] digest) {
        return kind.label() + ":" + HexFormat.of().formatHex(Arrays.copyOf(digest, kind.lengthBytes()));
    }
}
