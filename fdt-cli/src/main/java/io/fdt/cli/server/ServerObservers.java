package io.fdt.cli.server;

import io.fdt.core.control.ServerObserver;
import io.fdt.core.digest.Checksums;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.ServedFile;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.token.TokenSettings;
import java.util.List;

/** Combines the observers of a server, which are notified in order. */
record ServerObservers(List<ServerObserver> all) implements ServerObserver {
    ServerObservers {
        all = List.copyOf(all);
    }

    @Override
    public void onSessionStart(String session, String peer, String key, String what) {
        all.forEach(each -> each.onSessionStart(session, peer, key, what));
    }

    @Override
    public void onSessionOpen(SessionActivity session) {
        all.forEach(each -> each.onSessionOpen(session));
    }

    @Override
    public void onSessionEnd(String session, String peer, String key, Summary summary) {
        all.forEach(each -> each.onSessionEnd(session, peer, key, summary));
    }

    @Override
    public boolean watchesFiles() {
        return all.stream().anyMatch(ServerObserver::watchesFiles);
    }

    @Override
    public Checksums checksums() {
        return all.stream().map(ServerObserver::checksums).reduce(Checksums.NONE, Checksums::and);
    }

    @Override
    public void onFile(String session, String peer, String key, ServedFile file) {
        all.forEach(each -> each.onFile(session, peer, key, file));
    }

    @Override
    public void onKeyCreated(String name, String id) {
        all.forEach(each -> each.onKeyCreated(name, id));
    }

    @Override
    public void onKeyRevoked(String name, String id) {
        all.forEach(each -> each.onKeyRevoked(name, id));
    }

    @Override
    public void onIssuer(String url, TokenSettings.Change change) {
        all.forEach(each -> each.onIssuer(url, change));
    }

    @Override
    public void onWarning(String text) {
        all.forEach(each -> each.onWarning(text));
    }

    @Override
    public void onRefused(String peer, String why) {
        all.forEach(each -> each.onRefused(peer, why));
    }

    @Override
    public void onRefusal(Cause cause) {
        all.forEach(each -> each.onRefusal(cause));
    }
}
