package io.fdt.architecture.violating.core.wire;

import io.micrometer.MicrometerStandIn;

/** Forbidden. */
interface UsesMicrometer {
    MicrometerStandIn meter();
}
