package io.fdt.core.transport;

/** Whether lanes use RDMA, and its provider. On a server: whether it accepts them. */
public record RdmaUse(Wish wish, RdmaProvider provider) {
    /** TCP only. */
    public static final RdmaUse NONE = new RdmaUse(Wish.NEVER, RdmaProvider.NONE);

    /** How strongly RDMA is requested. */
    public enum Wish {
        NEVER,
        /** If both ends have it. Its absence is not reported. */
        IF_PRESENT,
        /** If both ends have it. Its absence is reported with the reason. */
        PREFERRED,
        /** RDMA is required: the session fails without it. */
        REQUIRED
    }
}
