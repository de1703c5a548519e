package io.fdt.core.listing;

import io.fdt.core.Running;

/** A running listing. */
public interface ListJob extends Running<ListSummary> {}
