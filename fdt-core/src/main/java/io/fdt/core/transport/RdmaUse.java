package io.fdt.core.transport;

/**
 * Whether lanes go over RDMA, and by whom. On a server: whether it takes them.
 *
 * @param wish of the user
 */
public record RdmaUse(Wish wish, RdmaProvider provider) {
    /** TCP only. */
    public static final RdmaUse NONE = new RdmaUse(Wish.NEVER, RdmaProvider.NONE);

    /** How much it is wanted. */
    public enum Wish {
        NEVER,
        /** Where both ends have it. That it is not there is no news. */
        WHERE_THERE,
        /** The same, and whoever asked is told where it is not there, and why. */
        PREFERRED,
        /** Nothing else will do. */
        REQUIRED
    }
}
