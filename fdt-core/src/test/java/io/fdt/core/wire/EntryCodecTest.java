package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Attribute;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EntryCodecTest {
    private static final RawPath ODD = RawPath.ofBytes(new byte[] {'a', '\n', (byte) 0xFF, 27, '/', 'b'});
    private static final EntryMetadata METADATA = new EntryMetadata(
            07777, -5, 999_999_999, -1, 7, List.of(new Attribute(RawPath.ofText("user.x"), new byte[] {0, 1})));
    private static final FileEntry FILE = new FileEntry(ODD, Kind.FILE, 5L << 40, METADATA, true, null);
    private static final FileEntry LINK = Entries.link(RawPath.EMPTY, ODD, EntryMetadata.ofMode(0777));
    private static final FileEntry LISTED = Entries.file(ODD, -1, EntryMetadata.UNKNOWN);

    @Test
    void decodesWhatItEncoded() throws IOException {
        FileEntry stream = Entries.of(Kind.STREAM, ODD, -1, METADATA);
        FileEntry range = FILE.ranged(new FileRange(4L << 40, 5L << 40, 1L << 40));
        for (FileEntry entry : List.of(FILE, LINK, stream, range, LISTED)) {
            FileEntry decoded = EntryCodec.decode(EntryCodec.encode(entry));
            assertThat(decoded).usingRecursiveComparison().isEqualTo(entry);
        }
    }

    @Test
    void refusesAnEntryOfAPeerWithoutMetadata() throws IOException {
        Object value = CborReader.read(EntryCodec.encode(LISTED));
        assertThatThrownBy(() -> EntryCodec.read(value)).hasMessage("bad or missing mode");
    }

    @Test
    void refusesASizeThatOnlyAnEndlessStreamHas() {
        byte[] bytes = EntryCodec.encode(Entries.file(ODD, -1, METADATA));
        assertThatThrownBy(() -> EntryCodec.decode(bytes)).hasMessage("bad or missing size");
    }

    @Test
    void refusesLinksWithoutATargetAndDirectoriesWithOne() {
        for (Kind kind : List.of(Kind.LINK, Kind.DIRECTORY)) {
            RawPath target = kind == Kind.LINK ? null : ODD;
            byte[] bytes = EntryCodec.encode(new FileEntry(ODD, kind, 0, METADATA, false, target));
            assertThatThrownBy(() -> EntryCodec.decode(bytes)).as("%s", kind).hasMessage("bad or missing link");
        }
    }

    @Test
    void refusesEveryEntryThatWasCut() {
        byte[] whole = EntryCodec.encode(FILE);
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> EntryCodec.decode(cut))
                    .as("%s bytes", length)
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void writesForPeopleWhatAReceiptShows() throws IOException {
        assertThat(json(FILE))
                .isEqualTo("{\"path\":\"a\\n\uDCFF\\u001B/b\",\"kind\":\"file\",\"size\":5497558138880,\"mode\":4095,"
                        + "\"mtime_seconds\":-5,\"mtime_nanos\":999999999}");
        assertThat(json(LISTED.with(EntryMetadata.UNKNOWN))).doesNotContain("mode", "mtime", "link");
        assertThat(json(LINK)).contains("\"kind\":\"link\"", "\"link\":\"a");
    }

    @Test
    void readsMembersThatItWrote() throws IOException {
        Map<String, Object> members = new HashMap<>(Map.of(
                "path", ODD.text(), "kind", "file", "size", 7L, "mode", 0644L, "mtime_seconds", 1L, "mtime_nanos", 2L));
        FileEntry read = EntryCodec.ofMembers(members);
        assertThat(read).isEqualTo(Entries.file(ODD, 7, Entries.metadata(0644, 1, 2)));
        members.put("path", "a\0b");
        assertThatThrownBy(() -> EntryCodec.ofMembers(members)).hasMessage("bad or missing path");
    }

    private static String json(FileEntry entry) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartObject();
            EntryCodec.writeMembers(json, entry);
            json.writeEndObject();
        }
        return text.toString();
    }
}
