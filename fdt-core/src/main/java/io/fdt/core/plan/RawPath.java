package io.fdt.core.plan;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A path in the form that the kernel uses: bytes other than NUL, components separated by {@code /}. Immutable. A Java
 * string cannot represent every name that a Linux file system allows, so names are never strings here. {@link #display}
 * is for people; {@link #ofText} and {@link #text} carry bytes that are not UTF-8 through Java strings as lone
 * surrogates U+DC80 to U+DCFF.
 */
public final class RawPath implements Comparable<RawPath> {
    private static final HexFormat UPPER_CASE = HexFormat.of().withUpperCase();
    /** The longest path that the kernel takes, and that a message carries. */
    public static final int MAX_BYTES = 4095;

    private static final int SHOWN_PART_BYTES = 512;

    /** The empty path: the directory that other paths are relative to. */
    public static final RawPath EMPTY = new RawPath(new byte[0]);

    public static final RawPath ROOT = ofText("/");
    public static final RawPath HERE = ofText(".");
    public static final RawPath UP = ofText("..");

    /** The character that Java substitutes for bytes that it cannot decode. */
    private static final char UNDECODED = '\uFFFD';

    private final byte[] bytes;

    private RawPath(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Takes ownership of the array; the caller must not change it afterwards. */
    public static RawPath ofBytes(byte[] bytes) {
        for (byte value : bytes) {
            if (value == 0) {
                throw new IllegalArgumentException("a path cannot hold a NUL byte");
            }
        }
        return bytes.length == 0 ? EMPTY : new RawPath(bytes);
    }

    /** Converts a Java path. Rejects one whose bytes Java cannot provide because they are not text in this locale. */
    public static RawPath of(Path path) {
        String text = path.toString();
        if (text.indexOf(UNDECODED) >= 0) {
            throw new IllegalArgumentException("Java cannot represent the name " + text + "; use RawPath.ofBytes");
        }
        return ofText(text);
    }

    /** The UTF-8 bytes of the text, where U+DC80 to U+DCFF represent the single bytes 0x80 to 0xFF. */
    public static RawPath ofText(String text) {
        byte[] out = new byte[text.length() * 3];
        int length = 0;
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (c >= '\uDC80' && c <= '\uDCFF') {
                out[length++] = (byte) (c - '\uDC00');
                i++;
            } else {
                int codePoint = text.codePointAt(i);
                int chars = Character.charCount(codePoint);
                byte[] encoded = text.substring(i, i + chars).getBytes(StandardCharsets.UTF_8);
                System.arraycopy(encoded, 0, out, length, encoded.length);
                length += encoded.length;
                i += chars;
            }
        }
        return ofBytes(Arrays.copyOf(out, length));
    }

    /** The inverse of {@link #ofText}. */
    public String text() {
        return isPlain() ? new String(bytes, StandardCharsets.US_ASCII) : decodedText();
    }

    /** Whether neither the kernel nor a message takes the path. */
    public boolean isTooLong() {
        return lengthBytes() > MAX_BYTES;
    }

    /** The failure of a path that is too long. */
    public TransferException tooLong() {
        return Cause.PATH_TOO_LONG.at(shortened().display()).failure("its path is longer than 4,095 bytes");
    }

    /** Throws if the path is too long. */
    public void requireShort() {
        if (isTooLong()) {
            throw tooLong();
        }
    }

    /** Returns the beginning and the end of a path that is longer than messages carry, otherwise the path. */
    public RawPath shortened() {
        if (!isTooLong()) {
            return this;
        }
        byte[] bytes = toBytes();
        int end = SHOWN_PART_BYTES;
        while (end > 1 && bytes[end - 1] != '/') {
            end--;
        }
        int start = bytes.length - SHOWN_PART_BYTES;
        while (start < bytes.length - 1 && bytes[start] != '/') {
            start++;
        }
        ByteBuffer shown = ByteBuffer.allocate(end + 3 + bytes.length - start);
        shown.put(bytes, 0, end).put(new byte[] {'.', '.', '.'}).put(bytes, start, bytes.length - start);
        return ofBytes(shown.array());
    }

    /** Whether the path is displayed unchanged, as nearly all are: printable ASCII without a backslash. */
    private boolean isPlain() {
        for (byte each : bytes) {
            if (each < ' ' || each > '~' || each == '\\') {
                return false;
            }
        }
        return true;
    }

    private String decodedText() {
        StringBuilder out = new StringBuilder(bytes.length);
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer chars = CharBuffer.allocate(bytes.length + 1);
        while (true) {
            var result = decoder.decode(in, chars, true);
            out.append(chars.flip());
            chars.clear();
            if (!result.isError()) {
                return out.toString();
            }
            for (int i = 0; i < result.length(); i++) {
                out.append((char) ('\uDC00' + (in.get() & 0xFF)));
            }
            decoder.reset();
        }
    }

    /** The path for messages: control characters, escapes and bytes that are not UTF-8 appear as {@code \xNN}. */
    public String display() {
        if (bytes.length > 0 && isPlain()) {
            return new String(bytes, StandardCharsets.US_ASCII);
        }
        String text = decodedText();
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(codePoint -> appendVisible(out, codePoint));
        return out.length() == 0 ? "." : out.toString();
    }

    private static void appendVisible(StringBuilder out, int codePoint) {
        if (codePoint >= 0xDC80 && codePoint <= 0xDCFF) {
            appendByte(out, codePoint - 0xDC00);
        } else if (codePoint == '\\') {
            out.append("\\\\");
        } else if (codePoint < 0x20 || codePoint == 0x7F) {
            appendByte(out, codePoint);
        } else if (!Printable.isPrintable(codePoint)) {
            Printable.appendEscaped(out, codePoint);
        } else {
            out.appendCodePoint(codePoint);
        }
    }

    private static void appendByte(StringBuilder out, int value) {
        out.append("\\x").append(UPPER_CASE.toHexDigits((byte) value));
    }

    public int lengthBytes() {
        return bytes.length;
    }

    public byte byteAt(int index) {
        return bytes[index];
    }

    public byte[] toBytes() {
        return bytes.clone();
    }

    /** Copies the bytes to the buffer at its position. */
    public void putTo(ByteBuffer target) {
        target.put(bytes);
    }

    public boolean isEmpty() {
        return bytes.length == 0;
    }

    public boolean isAbsolute() {
        return bytes.length > 0 && bytes[0] == '/';
    }

    public boolean endsWithSlash() {
        return bytes.length > 0 && bytes[bytes.length - 1] == '/';
    }

    /** Whether it can only mean a directory: it is empty, or ends in a slash, {@code .} or {@code ..}. */
    public boolean meansDirectory() {
        RawPath name = name();
        return endsWithSlash() || name.isEmpty() || name.equals(HERE) || name.equals(UP);
    }

    public RawPath withSlash() {
        if (endsWithSlash()) {
            return this;
        }
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
        longer[bytes.length] = '/';
        return new RawPath(longer);
    }

    /** The first component; empty if there is none. */
    public RawPath first() {
        int start = bytes.length - withoutLeadingSlashes().bytes.length;
        int end = start;
        while (end < bytes.length && bytes[end] != '/') {
            end++;
        }
        return slice(start, end);
    }

    public RawPath withoutLeadingSlashes() {
        int start = 0;
        while (start < bytes.length && bytes[start] == '/') {
            start++;
        }
        return start == 0 ? this : from(start);
    }

    public RawPath from(int index) {
        return slice(index, bytes.length);
    }

    /** The path that leads from {@code upper} to this one; null if {@code upper} is not above it. */
    public @Nullable RawPath relativeTo(RawPath upper) {
        int length = upper.endWithoutSlashes(upper.bytes.length);
        if (upper.isEmpty()) {
            return this;
        }
        if (bytes.length < length || !Arrays.equals(bytes, 0, length, upper.bytes, 0, length)) {
            return null;
        }
        return bytes.length == length ? EMPTY : bytes[length] == '/' ? from(length + 1) : null;
    }

    /** Returns the components between slashes, at least one; a trailing slash counts as a final {@code .}. */
    public List<RawPath> components() {
        List<RawPath> components = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= bytes.length; i++) {
            if (i == bytes.length || bytes[i] == '/') {
                if (i > start) {
                    components.add(slice(start, i));
                }
                start = i + 1;
            }
        }
        if (components.isEmpty() || endsWithSlash()) {
            components.add(HERE);
        }
        return components;
    }

    /** The last component, without trailing slashes. */
    public RawPath name() {
        int end = endWithoutSlashes(bytes.length);
        return slice(lastSlashBefore(end) + 1, end);
    }

    /** Everything before the last component and its slash; {@link #EMPTY} if there is only one component. */
    public RawPath parent() {
        int slash = lastSlashBefore(endWithoutSlashes(bytes.length));
        if (slash < 0) {
            return EMPTY;
        }
        int end = endWithoutSlashes(slash);
        return end == 0 ? slice(0, 1) : slice(0, end);
    }

    /** Whether its {@link #parent} is this directory, without a trailing slash. */
    public boolean isIn(RawPath directory) {
        int slash = lastSlashBefore(bytes.length);
        return directory.isEmpty()
                ? slash < 0
                : slash == directory.bytes.length && Arrays.equals(bytes, 0, slash, directory.bytes, 0, slash);
    }

    /** This path followed by the other one. */
    public RawPath resolve(RawPath child) {
        if (isEmpty() || child.isAbsolute()) {
            return child;
        }
        if (child.isEmpty()) {
            return this;
        }
        boolean slash = endsWithSlash();
        byte[] joined = Arrays.copyOf(bytes, bytes.length + (slash ? 0 : 1) + child.bytes.length);
        if (!slash) {
            joined[bytes.length] = '/';
        }
        System.arraycopy(child.bytes, 0, joined, joined.length - child.bytes.length, child.bytes.length);
        return new RawPath(joined);
    }

    private int endWithoutSlashes(int before) {
        int end = before;
        while (end > 0 && bytes[end - 1] == '/') {
            end--;
        }
        return end;
    }

    private int lastSlashBefore(int end) {
        for (int i = end - 1; i >= 0; i--) {
            if (bytes[i] == '/') {
                return i;
            }
        }
        return -1;
    }

    private RawPath slice(int from, int to) {
        return from >= to ? EMPTY : new RawPath(Arrays.copyOfRange(bytes, from, to));
    }

    /**
     * Whether this is a relative path that cannot leave the directory where it is resolved: no leading slash and no
     * empty, {@code .} or {@code ..} component. {@link #EMPTY} is such a path.
     */
    public boolean isPlainRelative() {
        if (isEmpty()) {
            return true;
        }
        int start = 0;
        for (int i = 0; i <= bytes.length; i++) {
            if (i == bytes.length || bytes[i] == '/') {
                int length = i - start;
                boolean dots = (length == 1 && bytes[start] == '.')
                        || (length == 2 && bytes[start] == '.' && bytes[start + 1] == '.');
                if (length == 0 || dots) {
                    return false;
                }
                start = i + 1;
            }
        }
        return true;
    }

    @Override
    public int compareTo(RawPath other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RawPath path && Arrays.equals(bytes, path.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return display();
    }
}
