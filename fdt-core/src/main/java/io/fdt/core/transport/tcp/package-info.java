/** TCP lanes and links over Netty and epoll. */
@NullMarked
package io.fdt.core.transport.tcp;

import org.jspecify.annotations.NullMarked;
