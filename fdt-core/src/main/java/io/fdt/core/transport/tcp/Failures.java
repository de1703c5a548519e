package io.fdt.core.transport.tcp;

import io.fdt.core.basic.Addresses;
import io.fdt.core.basic.Figures;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.KernelError;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.NoKeyException;
import io.fdt.core.security.UntrustedCertificateException;
import io.fdt.core.security.WrongIdentityException;
import io.netty.channel.ChannelException;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.unix.Errors;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Translates failures of sockets and TLS into messages for operators. */
final class Failures {
    /** The start of Netty's message for a failed system call: {@code writevAddresses(..) failed with error(-104): }. */
    private static final Pattern NATIVE_CALL =
            Pattern.compile("^[\\w: ]+\\(\\.\\.\\) failed(?: with error\\(-?\\d+\\))?: ");

    private static final Pattern CLASS_NAME =
            Pattern.compile("(?<![\\w.$])(?:[a-z]\\w*\\.)+[A-Z][\\w$]*(?:Exception|Error)\\b(?:: )?");

    /** Number, library, function and reason; only the reason is readable. */
    private static final Pattern OPENSSL = Pattern.compile("error:[0-9a-fA-F]+:[^:]*:[^:]*:(\\w+)");

    private Failures() {}

    static TransferException connecting(
            String server, @Nullable InetSocketAddress localAddress, Throwable failure, long timeoutMs) {
        if (failure instanceof TransferException transferException) {
            return transferException;
        }
        TransferException limit = TransferException.ofHostLimit(failure);
        if (limit != null) {
            return limit;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UntrustedCertificateException) {
                return Cause.OTHER_SERVER
                        .advise("check the name of the host, or name the authority of its certificate with --ca")
                        .failure(server + " is not trusted: " + cause.getMessage(), failure);
            }
            if (cause instanceof WrongIdentityException) {
                return Cause.OTHER_SERVER.failure(
                        server + " is not the server that the key was made for: " + cause.getMessage(), failure);
            }
        }
        if (isCut(failure)) {
            return cut(server, failure);
        }
        if (failure instanceof SSLException) {
            return Cause.OTHER_SERVER.failure(server + " did not prove its identity: " + reason(failure), failure);
        }
        KernelError error = errorOf(failure);
        if (failure instanceof ConnectTimeoutException || error == KernelError.ETIMEDOUT) {
            return timedOut(server, timeoutMs);
        }
        String reason = reason(failure);
        if (localAddress != null && (failure instanceof BindException || error == KernelError.EADDRNOTAVAIL)) {
            return Cause.USAGE.failure(
                    "cannot connect from the local address " + Addresses.shown(localAddress) + ": " + reason
                            + "; choose an address of this host, and a free port",
                    failure);
        }
        String cannot = "cannot connect to " + server + ": ";
        if (error == KernelError.ECONNREFUSED) {
            return Cause.REFUSED_CONNECTION.failure(cannot + "connection refused", failure);
        }
        boolean unreachable = error == KernelError.EHOSTUNREACH || error == KernelError.ENETUNREACH;
        return (unreachable ? Cause.NO_ROUTE : Cause.CANNOT_CONNECT).failure(cannot + reason, failure);
    }

    /** What the kernel said, by its number where the exception has it; null for anything else. */
    private static @Nullable KernelError errorOf(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof Errors.NativeIoException ofCall) {
                return KernelError.ofNumber(Math.abs(ofCall.expectedErr()));
            }
        }
        return KernelError.of(failure);
    }

    private static boolean isOfAddress(@Nullable KernelError error) {
        return error == KernelError.EADDRINUSE
                || error == KernelError.EADDRNOTAVAIL
                || error == KernelError.EAFNOSUPPORT;
    }

    /** Why a client that connected did not get as far as its request. */
    static Cause causeOf(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof TransferException known) {
                return known.failure().cause();
            }
            if (each instanceof NoKeyException) {
                return Cause.UNKNOWN_KEY;
            }
        }
        return Cause.MALFORMED;
    }

    /**
     * Whether an established connection was closed or reset by the other end or on the path, without an error message.
     */
    static boolean isCut(Throwable failure) {
        return failure instanceof IOException
                && !(failure instanceof SSLException)
                && (!(failure instanceof SocketException) || errorOf(failure) == KernelError.ECONNRESET)
                && !(failure instanceof ConnectTimeoutException)
                // Failing to bind a local address is an IOException with a message of the system, too.
                && !isOfAddress(errorOf(failure));
    }

    /** A connection that was cut before it was usable: another attempt may succeed. */
    static TransferException cut(String server, @Nullable Throwable failure) {
        return Cause.CONNECTION_LOST
                .advise("check the port, and whether the server has reached its limit of connections")
                .failure(
                        server + " closed the connection before it answered"
                                + (failure == null || failure instanceof ClosedChannelException
                                        ? ""
                                        : ": " + reason(failure)),
                        failure);
    }

    /** Whether a connection failed because its local port, or the pair of addresses, is in use. */
    static boolean portIsTaken(TransferException failure) {
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            KernelError error = errorOf(cause);
            if (cause instanceof BindException
                    || error == KernelError.EADDRINUSE
                    || error == KernelError.EADDRNOTAVAIL) {
                return true;
            }
        }
        return false;
    }

    static TransferException timedOut(String server, long timeoutMs) {
        return Cause.NO_ANSWER.failure(
                "cannot connect to " + server + ": no answer within " + Figures.exactTimeMs(timeoutMs));
    }

    /** It accepted the connection. */
    static TransferException silent(String server, long timeoutMs) {
        return Cause.NO_ANSWER
                .advise("check the port, and that the server responds")
                .failure(server + " accepted the connection but did not answer within "
                        + Figures.exactTimeMs(timeoutMs));
    }

    static TransferException notFdt(String server, String what) {
        return Cause.NOT_FDT.failure(server + " is not an fdt server: " + what);
    }

    static TransferException listening(InetSocketAddress address, Throwable failure) {
        return Cause.USAGE.failure(
                "cannot listen on " + Addresses.shown(address) + ": "
                        + (errorOf(failure) == KernelError.EADDRINUSE
                                ? "the port is in use; check whether a server is already running"
                                : reason(failure)),
                failure);
    }

    /** A working connection that failed. */
    static TransferException lost(String peer, Throwable failure) {
        if (!(failure instanceof IOException) && !(failure instanceof ChannelException)) {
            return TransferException.of(failure);
        }
        return Cause.CONNECTION_LOST.failure("lost the connection to " + peer + ": " + reason(failure), failure);
    }

    static TransferException lost(String peer, String what) {
        return Cause.CONNECTION_LOST.failure("lost the connection to " + peer + ": " + what);
    }

    /**
     * The message of the innermost cause that has one, on one line and without class names, which the cause itself
     * contains.
     */
    static String reason(Throwable failure) {
        String reason = null;
        String ofKind = null;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String said = said(cause);
            if (said != null) {
                reason = said;
            }
            String kind = ofKind(cause);
            if (kind != null) {
                ofKind = kind;
            }
        }
        return reason != null ? reason : ofKind != null ? ofKind : "no reason given";
    }

    /** The message without class names; null if nothing is left. */
    private static @Nullable String said(Throwable cause) {
        String message = cause.getMessage();
        if (message == null) {
            return null;
        }
        String words = message.replaceAll("\\p{Cntrl}+", " ").strip();
        words = NATIVE_CALL.matcher(words).replaceFirst("");
        words = CLASS_NAME.matcher(words).replaceAll("");
        Matcher openSsl = OPENSSL.matcher(words);
        if (openSsl.find()) {
            words = openSsl.group(1).replace('_', ' ').toLowerCase(Locale.ROOT);
        }
        // Netty appends the address to the message, even if that is empty.
        return words.isBlank() || words.startsWith("null: ") ? null : words.strip();
    }

    /** A message for types of exceptions that come without one. */
    private static @Nullable String ofKind(Throwable cause) {
        if (cause instanceof ClosedChannelException) {
            return "it was closed";
        }
        if (cause instanceof NotYetConnectedException) {
            return "it was never made";
        }
        if (cause instanceof NoRouteToHostException) {
            return "no route to host";
        }
        if (cause instanceof SSLException) {
            return "TLS failed";
        }
        return null;
    }
}
