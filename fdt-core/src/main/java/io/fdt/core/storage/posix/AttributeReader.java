package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.FileEntry.Attribute;
import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads extended attributes and ACLs. {@code user} ones are always carried; {@code trusted} ones and
 * {@code security.capability} only by root. Labels belong to a host's own policy, and stay. One thread; reserves two
 * buffers of 64 KiB.
 */
public final class AttributeReader {
    static final int COUNT_MAX = 128;
    /** Names and values of one file together: what a page of a manifest can always hold. */
    static final int TOTAL_BYTES_MAX = 64 * 1024;

    private final boolean extended;
    private final boolean acls;
    private final boolean root = Posix.isRoot();
    private final ByteBuffer names = ByteBuffer.allocateDirect(TOTAL_BYTES_MAX);
    private final ByteBuffer value = ByteBuffer.allocateDirect(TOTAL_BYTES_MAX);
    private final long namesAddress = Libc.addressOf(names);
    private final long valueAddress = Libc.addressOf(value);

    /**
     * @param extended reads extended attributes
     * @param acls reads ACLs
     */
    public AttributeReader(boolean extended, boolean acls) {
        this.extended = extended;
        this.acls = acls;
    }

    /** What the owning group of a file with an ACL may do (rwx, 0 to 7), in place of the mask; -1 without an ACL. */
    public int groupPermissions(int dirFd, RawPath name) {
        int length = Posix.getAttributeAt(dirFd, name, Acl.ACCESS, valueAddress, TOTAL_BYTES_MAX);
        if (length <= 0) {
            return -1;
        }
        byte[] acl = new byte[length];
        value.get(0, acl);
        return Acl.groupPermissions(acl);
    }

    /** The attributes of a name in a held directory; none where there are none; null where they are too many. */
    public @Nullable List<Attribute> read(int dirFd, RawPath name) {
        int listed = Posix.listAttributesAt(dirFd, name, namesAddress, TOTAL_BYTES_MAX);
        if (listed <= 0) {
            return listed == -Errno.ERANGE || listed == -Errno.E2BIG ? null : List.of();
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
            if (Acl.isName(attribute) ? !acls : !extended || !isCarried(attribute, root)) {
                continue;
            }
            int length = Posix.getAttributeAt(dirFd, name, attribute, valueAddress, TOTAL_BYTES_MAX);
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

    /** Whether an extended attribute that is no ACL may be given. */
    public static boolean isCarried(RawPath attribute, boolean root) {
        String name = attribute.text();
        if (name.startsWith("user.")) {
            return true;
        }
        return root && (name.startsWith("trusted.") || name.equals("security.capability"));
    }
}
