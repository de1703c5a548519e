package io.fdt.core.transport;

/** A transport that also supports control channels. */
public interface LinkTransport extends Transport, Links {}
