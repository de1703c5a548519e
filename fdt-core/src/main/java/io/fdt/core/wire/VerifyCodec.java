package io.fdt.core.wire;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.HashKind;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.Cleaning;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.wire.ControlCodec.MessageKind;
import io.fdt.core.wire.VerifyMessage.OpenList;
import io.fdt.core.wire.VerifyMessage.OpenVerify;
import io.fdt.core.wire.VerifyMessage.SpaceReport;
import io.fdt.core.wire.VerifyMessage.VerifyEnd;
import io.fdt.core.wire.VerifyMessage.VerifyMore;
import io.fdt.core.wire.VerifyMessage.VerifyName;
import io.fdt.core.wire.VerifyMessage.VerifyNames;
import io.fdt.core.wire.VerifyMessage.VerifyPage;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Encodes the messages of a verification and of a listing as CBOR. */
final class VerifyCodec {
    static final List<MessageKind<?>> KINDS = List.of(
            new MessageKind<>(40, OpenVerify.class, VerifyCodec::openVerify),
            new MessageKind<>(
                    41,
                    VerifyNames.class,
                    f -> new VerifyNames(
                            f.list("names", Bounds.MAX_PAGE_ENTRIES, VerifyNames::names, VerifyCodec::name))),
            new MessageKind<>(
                    42,
                    VerifyPage.class,
                    f -> new VerifyPage(f.values(
                            "entries",
                            Bounds.MAX_PAGE_ENTRIES,
                            VerifyPage::entries,
                            checkedWriter(f),
                            checkedReader(f)))),
            new MessageKind<>(
                    43,
                    VerifyMore.class,
                    f -> new VerifyMore(f.integer("pages", 1, Bounds.MAX_VERIFY_PAGES, VerifyMore::pages))),
            new MessageKind<>(44, VerifyEnd.class, f -> new VerifyEnd()),
            new MessageKind<>(
                    45,
                    OpenList.class,
                    f -> new OpenList(
                            f.requestedPath("path", OpenList::path),
                            f.flag("recursive", OpenList::recursive),
                            f.flag("space", OpenList::space),
                            f.number("timeout", 100, Integer.MAX_VALUE, OpenList::timeoutMs),
                            f.optionalPart("older", OpenList::cleaning, VerifyCodec::cleaning))),
            new MessageKind<>(46, SpaceReport.class, VerifyCodec::space));

    private VerifyCodec() {}

    private static VerifyName name(Form<VerifyName> f) throws IOException {
        RawPath path = f.path("name", VerifyName::path);
        boolean directory = f.flag("name", VerifyName::directory);
        return new VerifyName(path, directory, f.optionalFlag("name", VerifyName::above));
    }

    static SpaceReport space(Form<SpaceReport> f) throws IOException {
        return new SpaceReport(
                f.path("path", SpaceReport::path),
                f.number("freeBytes", -1, Long.MAX_VALUE, SpaceReport::freeBytes),
                f.number("bytes", -1, Long.MAX_VALUE, SpaceReport::bytes),
                f.number("freeFiles", -1, Long.MAX_VALUE, SpaceReport::freeFiles),
                f.number("files", -1, Long.MAX_VALUE, SpaceReport::files));
    }

    static <M> HashKind hash(Form<M> f, Function<M, HashKind> of) throws IOException {
        int tree = f.count("digest", m -> (of.apply(m) instanceof DigestKind kind ? kind : DigestKind.NONE).code());
        int file = (int) f.numberUnless(
                -1, "file", Integer.MAX_VALUE, m -> of.apply(m) instanceof FileHash hash ? hash.code() : -1);
        HashKind hash = file < 0 ? DigestKind.ofCode(tree) : FileHash.ofCode(file);
        if (hash == null) {
            throw Fields.misfit("digest");
        }
        return hash;
    }

    private static OpenVerify openVerify(Form<OpenVerify> f) throws IOException {
        HashKind hash = hash(f, OpenVerify::digest);
        return new OpenVerify(
                f.requestedPath("path", OpenVerify::path),
                hash,
                f.flag("device", OpenVerify::device),
                f.flag("named", OpenVerify::named),
                f.flag("single", OpenVerify::single),
                f.integer("threads", 1, Bounds.MAX_VERIFY_THREADS, OpenVerify::threads),
                f.number("timeout", 100, Integer.MAX_VALUE, OpenVerify::timeoutMs));
    }

    private static Cleaning cleaning(Form<Cleaning> f) throws IOException {
        return new Cleaning(f.size("older", Cleaning::olderSeconds), f.flag("dry", Cleaning::dryRun));
    }

    /** The path is written separately only if there is no entry to contain it. */
    static Form.Writer<CheckedEntry> checkedWriter(Form<?> form) {
        Form.Writer<Failure> failures = form.failureWriter();
        return (cbor, checked) -> writeChecked(cbor, checked, failures);
    }

    private static void writeChecked(CborWriter cbor, CheckedEntry checked, Form.Writer<Failure> failures)
            throws IOException {
        cbor.startArray();
        FileEntry entry = checked.entry();
        if (entry == null) {
            cbor.bytes(checked.path().toBytes());
        } else {
            EntryCodec.write(cbor, entry);
        }
        cbor.bytes(checked.digest());
        Failure failure = checked.failure();
        if (failure != null) {
            failures.write(cbor, failure);
        }
        cbor.end();
    }

    static Form.Reader<CheckedEntry> checkedReader(Form<?> form) {
        Form.Reader<Failure> failures = form.failureReader("why");
        return value -> readChecked(value, failures);
    }

    private static CheckedEntry readChecked(@Nullable Object value, Form.Reader<Failure> failures) throws IOException {
        List<?> fields = Fields.list(value, 16, "entry");
        Object first = Fields.at(fields, 0);
        FileEntry entry = first instanceof List<?> ? EntryCodec.read(first) : null;
        Object why = Fields.at(fields, 2);
        return new CheckedEntry(
                entry == null ? Fields.path(first, "path") : entry.path(),
                entry,
                Fields.bytes(Fields.at(fields, 1), DigestKind.MAX_BYTES, "digest"),
                why == null ? null : failures.read(why));
    }
}
