package io.fdt.rdma;

/** As lanes over RDMA are unless somebody says otherwise. */
final class RdmaTransportTest extends RdmaContract {
    RdmaTransportTest() {
        super(RdmaSettings.DEFAULT, HERE);
    }
}
