package io.micrometer;

/** A stand-in for Micrometer in the tests of the architecture rules. */
public interface MicrometerStandIn {}
