/** DiSNI's package, for a class that needs access to its package-private constructor. */
@NullMarked
package com.ibm.disni.verbs.impl;

import org.jspecify.annotations.NullMarked;
