package io.fdt.cli;

import org.jspecify.annotations.Nullable;

/**
 * How this side drives the network, whatever is moved over it.
 *
 * @param io {@code auto}, {@code epoll}, {@code io_uring} or {@code nio}
 * @param transport {@code auto} or {@code tcp}; of network tests also {@code unix} or {@code shm}
 * @param socketBufferBytes of every lane's socket, or 0 for the kernel's choice
 * @param congestion TCP congestion control by its kernel name, or null for the kernel's choice
 */
public record NetworkOptions(
        String io,
        String transport,
        int socketBufferBytes,
        @Nullable String congestion) {}
