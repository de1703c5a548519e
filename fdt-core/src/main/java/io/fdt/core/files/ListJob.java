package io.fdt.core.files;

import io.fdt.core.run.Running;

public interface ListJob extends Running<ListSummary> {}
