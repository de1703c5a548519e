package io.fdt.rdma;

/** Lanes over RDMA with the default settings. */
final class RdmaTransportTest extends RdmaContract {
    RdmaTransportTest() {
        super(RdmaSettings.DEFAULT, HERE);
    }
}
