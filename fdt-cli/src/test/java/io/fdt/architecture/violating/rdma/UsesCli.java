package io.fdt.architecture.violating.rdma;

import io.fdt.architecture.violating.cli.Command;

/** Forbidden: no module uses the command line. */
final class UsesCli {
    Command command = new Command();
}
