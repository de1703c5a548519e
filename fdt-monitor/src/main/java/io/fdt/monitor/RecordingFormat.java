package io.fdt.monitor;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.framedlog.Frame;
import io.fdt.monitor.SampleVector.MisfitException;
import io.fdt.monitor.SampleVector.Row;
import io.fdt.monitor.figure.Sample;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a recording: a header, then {@link Frame}s with a payload each. A payload contains the facts of a host,
 * or a sample as differences from the one before it; at intervals a sample is complete, so that a reader can start
 * there. Specified in {@code docs/monitoring.md}, which must be kept up to date.
 */
final class RecordingFormat {
    /** A byte that no text starts with, and a CR and LF, so that copies that convert line ends damage it detectably. */
    static final byte[] HEAD = {(byte) 0x8F, 'F', 'D', 'T', 'R', '\r', '\n', 1};

    static final int MAX_PAYLOAD_BYTES = 4 << 20;

    static final byte FACTS = 'F';
    static final byte WHOLE = 'W';
    static final byte DIFFERENCE = 'D';

    /** The number of samples from one complete sample to the next. */
    static final int WHOLE_EVERY = 300;

    private static final int MAX_TEXTS = 1 << 16;
    /**
     * With this many texts the table starts anew: peers may send new names every second, and a sample has far fewer.
     */
    private static final int FULL_TEXTS = MAX_TEXTS / 2;

    private static final int MAX_TEXT_BYTES = 1 << 16;
    private static final int MAX_NUMBERS = 1 << 19;

    private RecordingFormat() {}

    /**
     * Checks the header of a recording.
     *
     * @param name of the recording, for messages
     * @throws TransferException USAGE if it is not a recording
     */
    static void checkHead(byte[] head, String name) {
        int known = HEAD.length - 1;
        if (head.length < HEAD.length || !Arrays.equals(head, 0, known, HEAD, 0, known)) {
            throw FailureKind.USAGE.failure(name + " is not a recording of --record");
        }
        if (head[known] != HEAD[known]) {
            throw FailureKind.USAGE.failure(
                    name + " is a recording of version " + head[known] + ", and this fdt knows version " + HEAD[known]);
        }
    }

    static byte[] facts(byte[] json) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(json.length + 1);
        out.write(FACTS);
        out.writeBytes(json);
        return out.toByteArray();
    }

    /** Encodes samples as differences. For one thread. */
    static final class Encoder {
        private final Map<String, Long> texts = new HashMap<>();
        private final List<String> newTexts = new ArrayList<>();
        private Row last = new Row();
        private Row next = new Row();
        private int samples;

        /** Returns the payload of the next sample. */
        byte[] encode(Sample sample) {
            boolean whole = samples % WHOLE_EVERY == 0 || texts.size() >= FULL_TEXTS;
            samples++;
            if (whole) {
                texts.clear();
                last.clear();
            }
            newTexts.clear();
            next.clear();
            SampleVector.write(sample, next, this::numberOf);
            ByteArrayOutputStream out = new ByteArrayOutputStream(512);
            out.write(whole ? WHOLE : DIFFERENCE);
            putNumber(out, newTexts.size());
            for (String text : newTexts) {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                putNumber(out, bytes.length);
                out.writeBytes(bytes);
            }
            putNumber(out, next.length());
            putDifferences(out);
            Row written = next;
            next = last;
            last = written;
            return out.toByteArray();
        }

        private long numberOf(@Nullable String text) {
            if (text == null) {
                return 0;
            }
            Long known = texts.get(text);
            if (known == null) {
                known = texts.size() + 1L;
                texts.put(text, known);
                newTexts.add(text);
            }
            return known;
        }

        /** A zero is followed by the number of further zeros: most counters of a host do not change. */
        private void putDifferences(ByteArrayOutputStream out) {
            int at = 0;
            while (at < next.length()) {
                long difference = next.get(at) - last.get(at);
                putNumber(out, (difference << 1) ^ (difference >> 63));
                at++;
                if (difference == 0) {
                    int first = at;
                    while (at < next.length() && next.get(at) == last.get(at)) {
                        at++;
                    }
                    putNumber(out, at - first);
                }
            }
        }

        private static void putNumber(ByteArrayOutputStream out, long number) {
            long left = number;
            while ((left & ~0x7FL) != 0) {
                out.write((int) ((left & 0x7F) | 0x80));
                left >>>= 7;
            }
            out.write((int) left);
        }
    }

    /** Decodes payloads of an encoder, in their order, starting with a complete sample. For one thread. */
    static final class Decoder {
        private final List<String> texts = new ArrayList<>();
        private Row last = new Row();
        private Row next = new Row();
        private boolean begun;

        /**
         * Returns the sample of a payload.
         *
         * @throws MisfitException if it is not a valid sample
         */
        Sample decode(ByteBuffer in) {
            byte kind = in.get();
            if (kind == WHOLE) {
                begun = true;
                texts.clear();
                last.clear();
            } else if (kind != DIFFERENCE || !begun) {
                throw new MisfitException("a sample that follows none");
            }
            readTexts(in);
            readNumbers(in);
            Sample sample = SampleVector.read(next, this::textOf);
            Row read = next;
            next = last;
            last = read;
            return sample;
        }

        private void readTexts(ByteBuffer in) {
            for (long left = count(in, MAX_TEXTS - texts.size()); left > 0; left--) {
                int length = (int) count(in, Math.min(MAX_TEXT_BYTES, in.remaining()));
                ByteBuffer bytes = in.slice(in.position(), Math.min(length, in.remaining()));
                in.position(in.position() + bytes.remaining());
                try {
                    texts.add(StandardCharsets.UTF_8
                            .newDecoder()
                            .onMalformedInput(CodingErrorAction.REPORT)
                            .decode(bytes)
                            .toString());
                } catch (CharacterCodingException noText) {
                    throw new MisfitException("a text that is none");
                }
            }
        }

        private void readNumbers(ByteBuffer in) {
            next.clear();
            long count = count(in, MAX_NUMBERS);
            while (next.length() < count) {
                long coded = number(in);
                long difference = (coded >>> 1) ^ -(coded & 1);
                next.add(last.get(next.length()) + difference);
                if (difference == 0) {
                    for (long more = count(in, count - next.length()); more > 0; more--) {
                        next.add(last.get(next.length()));
                    }
                }
            }
            if (in.hasRemaining()) {
                throw new MisfitException("bytes behind a sample's end");
            }
        }

        private @Nullable String textOf(long number) {
            if (number < 0 || number > texts.size()) {
                throw new MisfitException("no text has the number " + number);
            }
            return number == 0 ? null : texts.get((int) number - 1);
        }

        private static long count(ByteBuffer in, long most) {
            long count = number(in);
            if (count < 0 || count > most) {
                throw new MisfitException("a count of " + count);
            }
            return count;
        }

        private static long number(ByteBuffer in) {
            long number = 0;
            for (int shift = 0; shift < 70; shift += 7) {
                if (!in.hasRemaining()) {
                    throw new MisfitException("a number without its end");
                }
                byte part = in.get();
                number |= (long) (part & 0x7F) << shift;
                if (part >= 0) {
                    return number;
                }
            }
            throw new MisfitException("a number without its end");
        }
    }
}
