package io.fdt.core.transport;

/** A transport that can also carry control channels. */
public interface LinkTransport extends Transport, Links {}
