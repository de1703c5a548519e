package io.fdt.core.storage.posix;

import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** POSIX ACLs in the kernel's format, as values of two attributes. */
public final class Acl {
    public static final RawPath ACCESS = RawPath.ofText("system.posix_acl_access");
    /** Of a directory: the ACL for what is created in it. */
    public static final RawPath DEFAULT = RawPath.ofText("system.posix_acl_default");

    private static final int VERSION = 2;
    private static final int HEADER_BYTES = 4;
    private static final int ENTRY_BYTES = 8;
    private static final int OWNER = 1;
    private static final int USER = 2;
    private static final int OWNING_GROUP = 4;
    private static final int GROUP = 8;
    private static final int MASK = 16;
    private static final int OTHER = 32;

    private Acl() {}

    public static boolean isName(RawPath attribute) {
        return attribute.equals(ACCESS) || attribute.equals(DEFAULT);
    }

    /** An ACL without entries: setting it removes the ACL of a file. */
    public static byte[] none() {
        return new byte[] {VERSION, 0, 0, 0};
    }

    /**
     * Whether the ACL is valid for the kernel: one entry each for owner, group and others, and a mask if there are
     * named users or groups.
     */
    public static boolean isComplete(byte[] acl) {
        ByteBuffer in = in(acl);
        int length = acl.length - HEADER_BYTES;
        if (length < 3 * ENTRY_BYTES || length % ENTRY_BYTES != 0 || in.getInt() != VERSION) {
            return false;
        }
        int seen = 0;
        int last = 0;
        while (in.hasRemaining()) {
            int tag = in.getShort();
            int permissions = in.getShort();
            in.getInt();
            boolean repeats = tag == last && (tag == USER || tag == GROUP);
            if (Integer.bitCount(tag) != 1 || tag > OTHER || (tag <= last && !repeats) || (permissions & ~7) != 0) {
                return false;
            }
            seen |= tag;
            last = tag;
        }
        boolean named = (seen & (USER | GROUP)) != 0;
        int needed = OWNER | OWNING_GROUP | OTHER | (named ? MASK : 0);
        return (seen & needed) == needed;
    }

    /** Returns the permissions of the owning group (rwx, 0 to 7): its own entry, limited by the mask. */
    static int groupPermissions(byte[] acl) {
        int group = 0;
        int mask = 7;
        ByteBuffer in = in(acl).position(HEADER_BYTES);
        while (in.remaining() >= ENTRY_BYTES) {
            int tag = in.getShort();
            int permissions = in.getShort();
            in.getInt();
            group = tag == OWNING_GROUP ? permissions : group;
            mask = tag == MASK ? permissions : mask;
        }
        return group & mask & 7;
    }

    /**
     * Returns a complete ACL without some permissions.
     *
     * @param modeMask permissions that nobody gets, as in a mode; those of the group also apply to named users and
     *     groups
     */
    public static byte[] masked(byte[] acl, int modeMask) {
        byte[] masked = acl.clone();
        ByteBuffer entries = in(masked).position(HEADER_BYTES);
        while (entries.remaining() >= ENTRY_BYTES) {
            int tag = entries.getShort();
            int permissions = entries.getShort(entries.position());
            int taken = tag == OWNER ? modeMask >> 6 : tag == OTHER ? modeMask : modeMask >> 3;
            entries.putShort((short) (permissions & ~(taken & 7))).getInt();
        }
        return masked;
    }

    private static ByteBuffer in(byte[] acl) {
        return ByteBuffer.wrap(acl).order(ByteOrder.LITTLE_ENDIAN);
    }
}
