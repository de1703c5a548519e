package io.fdt.core.transfer;

import io.fdt.core.run.Running;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;

/** A running transfer at the client. If it is asked to stop, it does so in a resumable state. */
public interface TransferJob extends Running<Summary> {
    Progress progress();
}
