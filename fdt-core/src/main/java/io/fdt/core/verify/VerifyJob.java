package io.fdt.core.verify;

import io.fdt.core.run.Running;
import io.fdt.core.stats.Progress;

public interface VerifyJob extends Running<VerifySummary> {
    Progress progress();
}
