/** Pushes samples to other systems: a Pushgateway, InfluxDB, OTLP and ApMon. */
@NullMarked
package io.fdt.monitor.push;

import org.jspecify.annotations.NullMarked;
