/** TCP lanes and links over Netty: epoll by default, io_uring as an option, NIO where neither is available. */
@NullMarked
package io.fdt.core.transport.tcp;

import org.jspecify.annotations.NullMarked;
