/** HTTP for the page and the scrape, over Netty: connections, their limits and their deadlines. */
@NullMarked
package io.fdt.monitor.http;

import org.jspecify.annotations.NullMarked;
