package io.fdt.core.storage.posix;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.FileEntry.Attribute;
import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads extended attributes and ACLs. {@code user} attributes are always copied; {@code trusted} ones and {@code
 * security.capability} only by root. Security labels belong to a host's own policy and are never copied, and neither is
 * fdt's own attribute, {@link UnflushedMark}. For one thread; allocates two buffers of 64 KiB.
 */
public final class AttributeReader {
    static final int COUNT_MAX = 128;
    /** The limit for names and values of one file together, which always fit into a manifest page. */
    static final int TOTAL_BYTES_MAX = 64 * 1024;

    private final FailureKind side;
    private final boolean extended;
    private final boolean acls;
    private final ByteBuffer names = ByteBuffer.allocateDirect(TOTAL_BYTES_MAX);
    private final ByteBuffer value = ByteBuffer.allocateDirect(TOTAL_BYTES_MAX);
    private final long namesAddress = Libc.addressOf(names);
    private final long valueAddress = Libc.addressOf(value);

    /** @param side SOURCE or TARGET: the kind of a failure to read */
    public AttributeReader(FailureKind side, boolean extended, boolean acls) {
        this.side = side;
        this.extended = extended;
        this.acls = acls;
    }

    /**
     * Returns the permissions of the owning group of a file with an ACL (rwx, 0 to 7), for which the mode has the mask;
     * -1 without an ACL.
     *
     * @param path for messages
     * @throws TransferException of the side, if the ACL cannot be read
     */
    public int groupPermissions(int dirFd, RawPath name, RawPath path) {
        int length = valueOf(dirFd, name, Acl.ACCESS, path);
        if (length <= 0) {
            return -1;
        }
        byte[] acl = new byte[length];
        value.get(0, acl);
        return Acl.groupPermissions(acl);
    }

    /**
     * Returns the attributes of a name in a held directory, empty if it has none; null if they are too many.
     *
     * @param path for messages
     * @throws TransferException of the side, if they cannot be read
     */
    public @Nullable List<Attribute> read(int dirFd, RawPath name, RawPath path) {
        int listed = FileMetadata.listAttributesAt(dirFd, name, namesAddress, TOTAL_BYTES_MAX);
        if (isTooLong(listed)) {
            return null;
        }
        if (!isNone(listed)) {
            Errno.require(listed, side, "list extended attributes", path);
        }
        List<Attribute> attributes = new ArrayList<>();
        int total = 0;
        int start = 0;
        for (int i = 0; i < listed; i++) {
            if (names.get(i) != 0) {
                continue;
            }
            byte[] bytes = new byte[i - start];
            names.get(start, bytes);
            start = i + 1;
            RawPath attribute = RawPath.ofBytes(bytes);
            if (Acl.isName(attribute) ? !acls : !extended || !isCarried(attribute)) {
                continue;
            }
            int length = valueOf(dirFd, name, attribute, path);
            if (isTooLong(length)) {
                return null;
            }
            if (length < 0) {
                continue;
            }
            total += bytes.length + length;
            if (total > TOTAL_BYTES_MAX || attributes.size() == COUNT_MAX) {
                return null;
            }
            byte[] copy = new byte[length];
            value.get(0, copy);
            attributes.add(new Attribute(attribute, copy));
        }
        return attributes;
    }

    /**
     * Reads an attribute into {@link #value}, and returns its length, or a negative number if it does not exist or is
     * too long.
     */
    private int valueOf(int dirFd, RawPath name, RawPath attribute, RawPath path) {
        int length = FileMetadata.getAttributeAt(dirFd, name, attribute, valueAddress, TOTAL_BYTES_MAX);
        return isNone(length) || isTooLong(length)
                ? length
                : Errno.require(length, side, "read attribute " + attribute.display(), path);
    }

    /** Some file systems without such attributes return EINVAL. */
    static boolean isNone(int outcome) {
        return outcome == -Errno.ENODATA
                || outcome == -Errno.EOPNOTSUPP
                || outcome == -Errno.ENOSYS
                || outcome == -Errno.EINVAL;
    }

    private static boolean isTooLong(int outcome) {
        return outcome == -Errno.ERANGE || outcome == -Errno.E2BIG;
    }

    /** Whether an extended attribute, other than an ACL, may be copied. */
    public static boolean isCarried(RawPath attribute) {
        String name = attribute.text();
        return (name.startsWith("user.") && !attribute.equals(Attribute.UNFLUSHED))
                || ((name.startsWith("trusted.") || name.equals("security.capability")) && FileMetadata.isRoot());
    }
}
