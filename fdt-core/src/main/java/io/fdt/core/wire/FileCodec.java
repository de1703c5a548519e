package io.fdt.core.wire;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileOperation.Piece;
import io.fdt.core.wire.ControlCodec.MessageKind;
import io.fdt.core.wire.FileMessage.Data;
import io.fdt.core.wire.FileMessage.Ended;
import io.fdt.core.wire.FileMessage.Found;
import io.fdt.core.wire.FileMessage.More;
import io.fdt.core.wire.FileMessage.OpenFiles;
import io.fdt.core.wire.FileMessage.Operate;
import io.fdt.core.wire.FileMessage.SpaceFound;
import io.fdt.core.wire.FileMessage.Stop;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.function.ToIntFunction;

/** Encodes the messages of file operations as CBOR. */
final class FileCodec {
    static final List<MessageKind<?>> KINDS = List.of(
            new MessageKind<>(
                    70,
                    OpenFiles.class,
                    f -> new OpenFiles(
                            f.number("timeout", 100, Integer.MAX_VALUE, OpenFiles::timeoutMs),
                            f.optionalPart("id", OpenFiles::first, FileCodec::operate))),
            new MessageKind<>(71, Operate.class, FileCodec::operate),
            new MessageKind<>(
                    72,
                    Found.class,
                    f -> new Found(
                            id(f, Found::id),
                            f.values(
                                    "entries",
                                    Bounds.MAX_PAGE_ENTRIES,
                                    Found::entries,
                                    VerifyCodec.checkedWriter(f),
                                    VerifyCodec.checkedReader(f)))),
            new MessageKind<>(
                    73,
                    SpaceFound.class,
                    f -> new SpaceFound(id(f, SpaceFound::id), f.part(SpaceFound::space, VerifyCodec::space))),
            new MessageKind<>(
                    74,
                    More.class,
                    f -> new More(id(f, More::id), f.integer("pages", 1, Bounds.MAX_VERIFY_PAGES, More::pages))),
            new MessageKind<>(75, Stop.class, f -> new Stop(id(f, Stop::id))),
            new MessageKind<>(
                    76, Ended.class, f -> new Ended(id(f, Ended::id), f.optionalFailure("why", Ended::failure))),
            new MessageKind<>(
                    77,
                    Data.class,
                    f -> new Data(
                            id(f, Data::id),
                            f.bytes("data", Bounds.MAX_READ_BYTES, Data::bytes),
                            f.exactBytes("digest", DigestKind.XXH3_128.lengthBytes(), Data::digest))));

    private FileCodec() {}

    private static <M> int id(Form<M> f, ToIntFunction<M> of) throws IOException {
        return f.integer("id", 1, Integer.MAX_VALUE, of);
    }

    private static Operate operate(Form<Operate> f) throws IOException {
        int id = id(f, Operate::id);
        try {
            FileOperation operation =
                    f.part(operate -> Objects.requireNonNull(operate.operation()), FileCodec::operation);
            return new Operate(id, operation);
        } catch (TransferException refused) {
            return new Operate(id, null, refused.failure());
        }
    }

    private static FileOperation operation(Form<FileOperation> f) throws IOException {
        return new FileOperation(
                f.choice("action", FileOperation.Action.values(), FileOperation::action),
                f.requestedPaths("paths", FileOperation::paths),
                f.flag("deep", FileOperation::deep),
                VerifyCodec.hash(f, FileOperation::hash),
                f.list("pieces", Bounds.MAX_LIST, FileOperation::pieces, FileCodec::piece));
    }

    private static Piece piece(Form<Piece> f) throws IOException {
        return new Piece(
                f.integer("path", 0, Bounds.MAX_MESSAGE_BYTES, Piece::path),
                f.size("offset", Piece::offset),
                f.size("length", Piece::lengthBytes));
    }
}
