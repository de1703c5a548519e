package io.fdt.core.digest;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The known nodes of one file's hash tree, and their digests with checksums. Two known halves are combined into their
 * parent at once, so a file whose chunks arrive roughly in order needs only a few nodes, whatever its size. Not
 * thread-safe.
 */
public final class NodeDigests {
    private final NodeHash kind;
    /** Created when there are nodes to combine: most files are a single node. */
    private @Nullable TreeDigest tree;

    private final TreeMap<Long, Node> nodes = new TreeMap<>();
    private long coveredBytes;

    private record Node(long lengthBytes, byte[] digest) {}

    public NodeDigests(NodeHash kind) {
        this.kind = kind;
    }

    private TreeDigest emptyTree() {
        TreeDigest known = tree;
        if (known == null) {
            known = new TreeDigest(kind);
            tree = known;
        }
        known.reset();
        return known;
    }

    /**
     * Whether the range is a node of a file of this size: its length is a power of two and its offset a multiple of it,
     * or it ends with the file.
     */
    public static boolean isNode(long offset, long lengthBytes, long fileSizeBytes) {
        if (offset < 0 || lengthBytes <= 0 || lengthBytes > fileSizeBytes - offset) {
            return false;
        }
        long full = TreeDigest.LEAF_BYTES;
        while (full < lengthBytes && full > 0) {
            full <<= 1;
        }
        boolean whole = full == lengthBytes || offset + lengthBytes == fileSizeBytes;
        return whole && full > 0 && offset % full == 0;
    }

    /** Adds a node; false if any of its bytes is already known. */
    public boolean add(long offset, long lengthBytes, byte[] digest) {
        if (touches(offset, lengthBytes)) {
            return false;
        }
        coveredBytes += lengthBytes;
        long start = offset;
        Node node = new Node(lengthBytes, digest.clone());
        while (isFull(node)) {
            boolean isRight = (start & node.lengthBytes) != 0;
            long otherStart = isRight ? start - node.lengthBytes : start + node.lengthBytes;
            Node other = nodes.get(otherStart);
            if (other == null || other.lengthBytes != node.lengthBytes) {
                break;
            }
            nodes.remove(otherStart);
            node = isRight ? parent(other, node) : parent(node, other);
            start = Math.min(start, otherStart);
        }
        nodes.put(start, node);
        return true;
    }

    private static boolean isFull(Node node) {
        return Long.bitCount(node.lengthBytes) == 1 && node.lengthBytes >= TreeDigest.LEAF_BYTES;
    }

    private Node parent(Node left, Node right) {
        TreeDigest both = emptyTree();
        both.addSubtree(left.digest, left.lengthBytes);
        both.addSubtree(right.digest, right.lengthBytes);
        return new Node(2 * left.lengthBytes, both.finish());
    }

    /** Whether any byte of the range is known. */
    public boolean touches(long offset, long lengthBytes) {
        Map.Entry<Long, Node> before = nodes.lowerEntry(offset + lengthBytes);
        return before != null && before.getKey() + before.getValue().lengthBytes > offset;
    }

    public void forEachNode(NodeVisitor visitor) {
        nodes.forEach((offset, node) -> visitor.onNode(offset, node.lengthBytes));
    }

    public interface NodeVisitor {
        void onNode(long offset, long lengthBytes);
    }

    public long coveredBytes() {
        return coveredBytes;
    }

    public byte[] root() {
        if (nodes.size() == 1) {
            return nodes.firstEntry().getValue().digest.clone();
        }
        TreeDigest all = emptyTree();
        for (Node node : nodes.values()) {
            all.addSubtree(node.digest, node.lengthBytes);
        }
        return all.finish();
    }

    /** Keeps only the root digest of a file that is completely known. */
    public void collapse() {
        if (nodes.size() > 1) {
            Node whole = new Node(coveredBytes, root());
            nodes.clear();
            nodes.put(0L, whole);
        }
    }

    public int count() {
        return nodes.size();
    }
}
