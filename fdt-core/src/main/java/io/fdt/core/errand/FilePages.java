package io.fdt.core.errand;

import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ErrandMessage.ToldFile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Files on their way to a client that follows a copy from afar, in messages of many. No more than
 * {@link Bounds#MAX_TOLD_PAGES} are ahead of the client: who has more to tell waits, so that a slow client slows the
 * copy down, as one that copies itself does. Any thread.
 */
final class FilePages {
    /** As a character is three bytes at most, far below what a message may have. */
    private static final int MAX_PAGE_CHARS = Bounds.MAX_MESSAGE_BYTES / 8;

    /** A waiting thread looks this often whether it is still asked for. */
    private static final long LOOK_MS = 1_000;

    private final Consumer<List<ToldFile>> send;
    private List<ToldFile> page = new ArrayList<>();
    private int pageChars;
    private int ahead;
    private boolean over;

    FilePages(Consumer<List<ToldFile>> send) {
        this.send = send;
    }

    /** Tells of one more file; waits while the client is too far behind. */
    synchronized void add(ToldFile file) throws InterruptedException {
        while (isFull() && !over) {
            if (ahead < Bounds.MAX_TOLD_PAGES) {
                sendPage();
            } else {
                wait(LOOK_MS);
            }
        }
        if (over) {
            return;
        }
        page.add(file);
        String reason = file.reason();
        pageChars += file.path().length() + (reason == null ? 0 : reason.length());
        if (isFull()) {
            flush();
        }
    }

    private boolean isFull() {
        return page.size() >= Bounds.MAX_TOLD_FILES || pageChars >= MAX_PAGE_CHARS;
    }

    private void sendPage() {
        ahead++;
        send.accept(page);
        page = new ArrayList<>();
        pageChars = 0;
    }

    /** What waits goes out, if the client is not too far behind. */
    synchronized void flush() {
        if (!page.isEmpty() && ahead < Bounds.MAX_TOLD_PAGES) {
            sendPage();
        }
    }

    /** There are no more files: what waits goes out in any case. */
    synchronized void finish() {
        if (!page.isEmpty()) {
            sendPage();
        }
        close();
    }

    /** The client is done with so many pages; false if it cannot be. */
    synchronized boolean heard(int pages) {
        if (pages > ahead) {
            return false;
        }
        ahead -= pages;
        notifyAll();
        return true;
    }

    /** Nobody waits any more, and nothing is told. */
    synchronized void close() {
        over = true;
        notifyAll();
    }
}
