/** HTTP for the page and the metrics, over Netty: connections with limits and deadlines. */
@NullMarked
package io.fdt.monitor.http;

import org.jspecify.annotations.NullMarked;
