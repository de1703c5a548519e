package io.fdt.core.failure;

import io.fdt.core.basic.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Why something failed: a cause, a place, a path and a detail, from which its text is made here and nowhere else.
 * Immutable. All texts are bounded, the path in its middle, so that the reason is never cut off.
 *
 * @param place the host: empty for this one, {@code fdt://HOST:PORT} or {@code USER@HOST} for a server, an address for
 *     a client
 * @param path on that host, as it is displayed; null if the failure is not about one path
 * @param detail one clause about what happened, without the path and the remedy
 * @param errno the name of the kernel's error, for example {@code ENOSPC}; null if no call failed
 * @param ownRemedy instead of the one of the cause; null for that one
 */
public record Failure(
        Cause cause,
        String place,
        @Nullable String path,
        String detail,
        @Nullable String errno,
        @Nullable String ownRemedy) {
    /** The place of this host. */
    public static final String HERE = "";

    public static final int MAX_PLACE_CHARS = 512;
    public static final int MAX_PATH_CHARS = 2_048;
    public static final int MAX_DETAIL_CHARS = 1_024;
    public static final int MAX_ERRNO_CHARS = 16;
    public static final int MAX_REMEDY_CHARS = 512;

    private static final int MAX_BRIEF_CHARS = 512;
    private static final String CUT = "…";
    private static final String SCHEME = "fdt://";

    public Failure {
        place = cutAtEnd(place, MAX_PLACE_CHARS);
        path = path == null ? null : cutInside(path, MAX_PATH_CHARS);
        detail = cutAtEnd(detail.replace('\n', ' '), MAX_DETAIL_CHARS);
        ownRemedy = ownRemedy == null ? null : cutAtEnd(ownRemedy, MAX_REMEDY_CHARS);
    }

    /** The place of a server with this address or name, and port. */
    public static String placeOf(String server) {
        return SCHEME + server;
    }

    static Failure of(Cause cause) {
        return new Failure(cause, HERE, null, "", null, null);
    }

    public static Failure of(Cause cause, String detail) {
        return new Failure(cause, HERE, null, detail, null, null);
    }

    private static String cutAtEnd(String text, int maxChars) {
        return text.length() <= maxChars ? text : text.substring(0, maxChars - CUT.length()) + CUT;
    }

    private static String cutInside(String path, int maxChars) {
        int half = (maxChars - CUT.length()) / 2;
        return path.length() <= maxChars ? path : path.substring(0, half) + CUT + path.substring(path.length() - half);
    }

    public Failure at(String newPath) {
        return new Failure(cause, place, newPath, detail, errno, ownRemedy);
    }

    public Failure advise(String remedy) {
        return new Failure(cause, place, path, detail, errno, remedy);
    }

    public Failure errno(String name) {
        return new Failure(cause, place, path, detail, name, ownRemedy);
    }

    public Failure with(String newDetail) {
        return new Failure(cause, place, path, newDetail, errno, ownRemedy);
    }

    public Failure because(Cause newCause) {
        return new Failure(newCause, place, path, detail, errno, ownRemedy);
    }

    /** The failure as the receiver of a message knows it: what happened on the sender's host happened at this place. */
    public Failure from(String sender) {
        return place.equals(HERE) ? new Failure(cause, sender, path, detail, errno, ownRemedy) : this;
    }

    /** The same of something that has nothing to resume. */
    public Failure toRunAgain() {
        return switch (cause) {
            case INTERRUPTED, TERMINATED, CONNECTION_LOST, SOME_FILES_FAILED ->
                ownRemedy == null ? advise("run it again") : this;
            default -> this;
        };
    }

    public TransferException exception() {
        return new TransferException(this, null);
    }

    public TransferException failure(String newDetail) {
        return with(newDetail).exception();
    }

    public TransferException failure(String newDetail, @Nullable Throwable origin) {
        return new TransferException(with(newDetail), origin);
    }

    public FailureKind kind() {
        return cause.kind();
    }

    public int exitCode() {
        return cause.exitCode();
    }

    public boolean is(Cause other) {
        return cause == other;
    }

    public String remedy() {
        return ownRemedy == null ? cause.remedy() : ownRemedy;
    }

    /** What happened and to what, without the remedy. */
    public String text() {
        String subject = subject();
        return subject.isEmpty() ? reason() : subject + ": " + reason();
    }

    /** The failure in a clause of another one: with its path cut in its middle, and the remedy if it has its own. */
    public String brief() {
        String subject = subject();
        String shown = subject.isEmpty() ? "" : cutInside(subject, MAX_BRIEF_CHARS) + ": ";
        return shown + advice();
    }

    /** What happened, and the remedy if it has its own, for readers who know to what. */
    public String advice() {
        return reason() + (ownRemedy == null ? "" : "; " + ownRemedy);
    }

    /** What happened, for readers who know to what. */
    public String reason() {
        return detail.isEmpty() ? cause.word().replace('-', ' ') : detail;
    }

    /** What happened and to what, and what to do next. Messages about usage contain that already. */
    public String textWithRemedy() {
        return cause == Cause.USAGE ? text() : text() + "; " + remedy();
    }

    private String subject() {
        if (path == null) {
            return place;
        }
        if (place.startsWith(SCHEME)) {
            return place + (path.startsWith("/") ? "" : "/") + path;
        }
        return place.equals(HERE) ? path : place + ":" + path;
    }

    /** The length of its texts, for those who keep many. */
    public int chars() {
        return place.length() + detail.length() + length(path) + length(ownRemedy);
    }

    private static int length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    /** The place in output: {@code local} for this host. */
    public String shownPlace() {
        return place.equals(HERE) ? "local" : place;
    }

    /** The fields that all outputs have in common. */
    public JsonObject json() {
        return new JsonObject().with("path", path).with(jsonOfKnownPath());
    }

    /** The same for an object that has the path of the file. */
    public JsonObject jsonOfKnownPath() {
        return new JsonObject()
                .with("cause", cause.word())
                .with("place", shownPlace())
                .with("errno", errno)
                .with("exit_code", exitCode())
                .with("retry", cause.isRepeated(true));
    }
}
