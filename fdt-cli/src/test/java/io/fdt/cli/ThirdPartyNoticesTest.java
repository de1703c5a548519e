package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The notices match the jar: each library has its licence, and no removed library is listed. */
class ThirdPartyNoticesTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([^`:]+:[^`:]+)` \\| [^|]+ \\| [^|]+ \\|$");

    /** A path like {@code …/repository/io/netty/netty-common/4.2/netty-common-4.2.jar}: group and artifact. */
    private static final Pattern JAR = Pattern.compile(".*/repository/(.+)/([^/]+)/[^/]+/[^/]+\\.jar");

    @Test
    void nameEveryLibraryThatIsShadedAndNoOther() throws Exception {
        // Of the build that made this class.
        Path classes = Path.of(ThirdPartyNoticesTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Set<String> shaded = new TreeSet<>();
        for (String entry :
                Files.readString(classes.resolveSibling("runtime-classpath")).split(File.pathSeparator, -1)) {
            Matcher jar = JAR.matcher(entry);
            if (jar.matches()) {
                shaded.add(jar.group(1).replace('/', '.') + ":" + jar.group(2));
            }
        }
        assertThat(shaded).hasSizeGreaterThan(20).contains("io.netty:netty-common");
        Set<String> named = new TreeSet<>();
        Matcher row = ROW.matcher(Files.readString(Path.of("../THIRD-PARTY-NOTICES.md")));
        while (row.find()) {
            named.add(row.group(1));
        }
        assertThat(named).isEqualTo(shaded);
    }

    @Test
    void comeWithTheLicenceOfFdtItself() throws IOException {
        assertThat(Files.readString(Path.of("../LICENSE"))).contains("Apache License", "Version 2.0, January 2004");
    }
}
