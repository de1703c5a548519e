package io.fdt.core.storage.partial;

import io.fdt.core.digest.Sha256;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names beside a target while it is being written: {@code .fdt.<hash of the target's name>.part} contains its data,
 * {@code .journal} the record of what is durable; {@code .next} is a new journal and {@code .link} a link, before they
 * get their names. No target may have such a name. They are made when they are first asked for: most small files need
 * none. Thread-safe.
 */
public final class PartialNames {
    private static final String PREFIX = ".fdt.";
    private static final int HASH_BYTES = 16;
    private static final int STEM_CHARS = PREFIX.length() + HASH_BYTES;
    /** The number of a range has as many digits as {@link FileRange#MAX_COUNT} needs. */
    private static final Pattern RESERVED = Pattern.compile(
            "\\.fdt\\.\\p{XDigit}{16}(\\.(part|journal|next|link)|\\.\\p{XDigit}{4}\\.(journal|next).*)",
            Pattern.DOTALL);

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final ThreadLocal<MessageDigest> SHA256 = ThreadLocal.withInitial(Sha256::begin);

    private static final int NO_RANGE = -1;

    private final byte[] hashed;
    private final int range;
    private volatile byte @Nullable [] stem;

    private PartialNames(byte[] hashed) {
        this.hashed = hashed;
        this.range = NO_RANGE;
    }

    private PartialNames(PartialNames ofAll, int range) {
        this.hashed = ofAll.hashed;
        this.range = range;
        this.stem = ofAll.stem();
    }

    public static PartialNames of(RawPath target) {
        return new PartialNames(target.toBytes());
    }

    /**
     * Returns the names for a file that is copied in ranges, which share one partial, and have a journal {@linkplain
     * #at each}. The names depend on the state of the source and on the length of the ranges, so that ranges of two
     * plans write to the same partial only if they are the same ranges.
     */
    public static PartialNames ofRanges(RawPath target, FileEntry entry, FileRange range) {
        ByteBuffer state = ByteBuffer.allocate(target.lengthBytes() + 1 + 3 * Long.BYTES + Integer.BYTES);
        target.putTo(state);
        state.put((byte) 0).putLong(range.fileBytes()).putLong(range.rangeBytes());
        state.putLong(entry.modifiedSeconds()).putInt(entry.modifiedNanos());
        return new PartialNames(state.array());
    }

    /** The names that a user takes if those of {@link #of} are another user's. */
    static PartialNames of(RawPath target, int uid) {
        byte[] name = target.toBytes();
        ByteBuffer both = ByteBuffer.allocate(name.length + 1 + Integer.BYTES);
        return new PartialNames(both.put(name).put((byte) 0).putInt(uid).array());
    }

    /** Names that nobody can have taken in advance, and no later session finds. */
    public static PartialNames unpredictable() {
        byte[] random = new byte[HASH_BYTES];
        RANDOM.nextBytes(random);
        return new PartialNames(random);
    }

    /** The names of one range. */
    PartialNames at(int index) {
        return new PartialNames(this, index);
    }

    private byte[] stem() {
        byte[] known = stem;
        if (known == null) {
            known = hash(hashed);
            stem = known;
        }
        return known;
    }

    /** Returns 16 bytes that distinguish the journals of ranges, and of targets whose partials have the same name. */
    byte[] nameHash() {
        ByteBuffer both = ByteBuffer.allocate(HASH_BYTES + Integer.BYTES);
        return range == NO_RANGE ? stem() : hash(both.put(stem()).putInt(range).array());
    }

    private static byte[] hash(byte[] bytes) {
        return Arrays.copyOf(SHA256.get().digest(bytes), HASH_BYTES);
    }

    public RawPath partial() {
        return ending(".part");
    }

    public RawPath journal() {
        return ending(ofRange(".journal"));
    }

    RawPath next() {
        return ending(ofRange(".next"));
    }

    public RawPath link() {
        return ending(".link");
    }

    private String ofRange(String ending) {
        return range == NO_RANGE ? ending : "." + HexFormat.of().toHexDigits(range, 4) + ending;
    }

    private RawPath ending(String ending) {
        String name = PREFIX + HexFormat.of().formatHex(stem(), 0, HASH_BYTES / 2) + ending;
        return RawPath.ofBytes(name.getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns the partial to which a file with a reserved name belongs, or that partial itself. */
    static RawPath partialOf(RawPath reserved) {
        return RawPath.ofText(reserved.text().substring(0, STEM_CHARS) + ".part");
    }

    /** Whether an interrupted copy may have left a file with this name, which only its next run can use. */
    public static boolean isLeftover(RawPath name) {
        return isReserved(name) && !name.equals(LossMark.NAME);
    }

    /** Whether a target with this name could be mistaken for a file of an unfinished target. */
    public static boolean isReserved(RawPath name) {
        return name.equals(LossMark.NAME)
                || (name.lengthBytes() > STEM_CHARS
                        && name.byteAt(0) == '.'
                        && RESERVED.matcher(name.text()).matches());
    }
}
