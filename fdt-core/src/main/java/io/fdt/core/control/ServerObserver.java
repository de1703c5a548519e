package io.fdt.core.control;

import io.fdt.core.TransferException;
import org.jspecify.annotations.Nullable;

/** What happens on a server, for its log and for {@code --once}. May be called on any thread; must return soon. */
public interface ServerObserver {
    void onSessionStart(String session, String peer, String what);

    /** The failure is null if the session did what it was asked for. */
    void onSessionEnd(String session, @Nullable TransferException failure);

    /** Someone came who was not let in, or who does not speak this protocol. */
    void onRefused(String peer, String why);
}
