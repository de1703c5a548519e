package io.fdt.core.wire;

import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.wire.ControlCodec.MessageKind;
import io.fdt.core.wire.RunRecord.Confirmed;
import io.fdt.core.wire.RunRecord.End;
import io.fdt.core.wire.RunRecord.Entry;
import io.fdt.core.wire.RunRecord.EntryOutcome;
import io.fdt.core.wire.RunRecord.Progress;
import java.io.IOException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Encodes the records in the log of a shard's run as CBOR, with short names: a log has one for each entry. */
public final class RunCodec {
    /** No record is longer. */
    public static final int MAX_BYTES = 2 << 10;

    private static final int MAX_DIGEST_BYTES = 255;
    private static final int MAX_REASON_CHARS = 512;

    private static final MessageTable<RunRecord> TABLE = new MessageTable<>(
            RunRecord.class,
            Stream.of(
                    new MessageKind<>(1, Entry.class, RunCodec::entry),
                    new MessageKind<>(
                            2,
                            Progress.class,
                            f -> new Progress(f.size("d", Progress::bytesDone), f.size("m", Progress::bytesMoved))),
                    new MessageKind<>(
                            3, End.class, f -> new End(f.count("x", End::exitCode), f.size("m", End::bytesMoved))),
                    new MessageKind<>(
                            4,
                            Confirmed.class,
                            f -> new Confirmed(
                                    Preserve.ofBits(f.count("p", confirmed -> Preserve.bits(confirmed.preserve())))))));

    private RunCodec() {}

    public static byte[] encode(RunRecord record) {
        return TABLE.encode(record, Failure.HERE);
    }

    /** Throws an IOException for what no run writes. */
    public static RunRecord decode(byte[] bytes) throws IOException {
        return TABLE.decode(bytes, Failure.HERE);
    }

    private static Entry entry(Form<Entry> f) throws IOException {
        return new Entry(
                f.size("i", Entry::index),
                f.choice("o", EntryOutcome.values(), Entry::outcome),
                f.size("b", Entry::bytes),
                f.field("h", Entry::hash, (cbor, hash) -> cbor.number(hash.code()), RunCodec::hash),
                f.bytes("d", MAX_DIGEST_BYTES, Entry::digest),
                f.optionalText("r", MAX_REASON_CHARS, Entry::reason));
    }

    private static NodeHash hash(@Nullable Object value) throws IOException {
        NodeHash hash = NodeHash.ofCode(Fields.count(value, "h"));
        if (hash == null) {
            throw Fields.misfit("h");
        }
        return hash;
    }
}
