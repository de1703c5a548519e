package io.fdt.architecture.violating.core.wire;

import com.ibm.disni.DisniStandIn;

/** Forbidden. */
interface UsesDisni {
    DisniStandIn endpoint();
}
