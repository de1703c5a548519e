package io.fdt.core.listing;

import io.fdt.core.Running;

public interface ListJob extends Running<ListSummary> {}
