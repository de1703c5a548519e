package io.fdt.core.stats;

import io.fdt.core.HostView;
import org.jspecify.annotations.Nullable;

/** The host at the other end of a session, for who watches. Thread-safe; no call blocks. */
public interface PeerHost {
    /** Of a session whose other end does not tell. */
    PeerHost SILENT = new PeerHost() {
        @Override
        public void ask() {}

        @Override
        public @Nullable HostView view() {
            return null;
        }
    };

    /** Wants to hear of it; to be called again every second as long as that is so. */
    void ask();

    /** What it said last; null when it said nothing lately. */
    @Nullable HostView view();
}
