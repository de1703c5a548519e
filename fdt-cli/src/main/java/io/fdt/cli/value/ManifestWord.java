package io.fdt.cli.value;

import io.fdt.core.digest.FileHash;
import io.fdt.core.plan.ManifestFile;
import io.fdt.core.plan.RawPath;

/** Parses {@code KIND=FILE}. */
public final class ManifestWord {
    private ManifestWord() {}

    public static ManifestFile parse(String text) throws BadValueException {
        int equals = text.indexOf('=');
        FileHash kind = equals < 0 ? null : FileHash.ofLabel(text.substring(0, equals));
        if (kind == null || equals + 1 == text.length()) {
            throw new BadValueException("not KIND=FILE with one of the KINDs " + ChecksumWords.words()
                    + "; write for example sha256=SHA256SUMS");
        }
        return new ManifestFile(kind, RawPath.ofText(text.substring(equals + 1)));
    }
}
