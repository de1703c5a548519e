package com.ibm.disni;

/** Stands for DiSNI where the architecture rules are tried. */
public interface DisniStandIn {}
