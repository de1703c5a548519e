package io.micrometer;

/** Stands for Micrometer where the architecture rules are tried. */
public interface MicrometerStandIn {}
