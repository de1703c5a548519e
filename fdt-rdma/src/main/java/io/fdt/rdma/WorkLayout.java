package io.fdt.rdma;

/** The layouts and constants of struct ibv_send_wr, ibv_recv_wr, ibv_sge and ibv_wc, for requests and completions. */
final class WorkLayout {
    static final int SEND_REQUEST_BYTES = 128;
    static final int RECEIVE_REQUEST_BYTES = 32;
    static final int PART_BYTES = 16;
    static final int COMPLETION_BYTES = 48;

    static final int OPCODE_WRITE = 0;
    static final int OPCODE_WRITE_WITH_IMMEDIATE = 1;
    static final int OPCODE_SEND = 2;
    static final int OPCODE_READ = 4;
    static final int SIGNALED = 2;
    static final int INLINE = 8;

    static final int COMPLETED_RECEIVE_WITH_IMMEDIATE = 129;
    static final int STATUS_FLUSHED = 5;

    private WorkLayout() {}
}
