package io.fdt.core.basic;

/** The pauses between attempts at what fails: each is twice as long as the one before it, up to the longest. */
public record Pauses(long first, long longest) {
    /** The pause after this many failures in a row; 0 if there was none. */
    public long after(int failures) {
        long pause = failures == 0 ? 0 : first;
        for (int i = 1; i < failures && pause < longest; i++) {
            pause *= 2;
        }
        return Math.min(pause, longest);
    }
}
