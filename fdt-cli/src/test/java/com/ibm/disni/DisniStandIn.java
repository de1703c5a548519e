package com.ibm.disni;

/** A stand-in for DiSNI in the tests of the architecture rules. */
public interface DisniStandIn {}
