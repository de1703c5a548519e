package io.fdt.core.thirdparty;

import io.fdt.core.failure.Failure;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ThirdPartyMessage.FileReport;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Results of files for a client that follows a copy, sent in messages of many. At most {@link Bounds#MAX_TOLD_PAGES}
 * are unconfirmed; then adding waits, so a slow client slows the copy down, as it does when it copies itself.
 * Thread-safe.
 */
final class FilePages {
    /** A character has at most three bytes, so this is far below the size of a message. */
    private static final int MAX_PAGE_CHARS = Bounds.MAX_MESSAGE_BYTES / 8;

    private final Consumer<List<FileReport>> send;
    private List<FileReport> page = new ArrayList<>();
    private int pageChars;
    private int ahead;
    private boolean over;

    FilePages(Consumer<List<FileReport>> send) {
        this.send = send;
    }

    /** Adds a file; waits while too many pages are unconfirmed. */
    synchronized void add(FileReport file) throws InterruptedException {
        while (isFull() && !over) {
            if (ahead < Bounds.MAX_TOLD_PAGES) {
                sendPage();
            } else {
                wait();
            }
        }
        if (over) {
            return;
        }
        page.add(file);
        Failure why = file.why();
        pageChars += file.path().length() + (why == null ? 0 : why.chars());
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

    /** Sends the files collected so far, unless too many pages are unconfirmed. */
    synchronized void flush() {
        if (!page.isEmpty() && ahead < Bounds.MAX_TOLD_PAGES) {
            sendPage();
        }
    }

    /** Sends the last files in any case. */
    synchronized void finish() {
        if (!page.isEmpty()) {
            sendPage();
        }
        close();
    }

    /** Sends another message that the client confirms like a page, unless too many are unconfirmed. */
    synchronized boolean trySend(Runnable message) {
        if (ahead >= Bounds.MAX_TOLD_PAGES) {
            return false;
        }
        ahead++;
        message.run();
        return true;
    }

    /** The client has processed this many pages; false if that is impossible. */
    synchronized boolean onConfirmed(int pages) {
        if (pages > ahead) {
            return false;
        }
        ahead -= pages;
        notifyAll();
        return true;
    }

    /** Wakes waiting threads; nothing more is sent. */
    synchronized void close() {
        over = true;
        notifyAll();
    }
}
