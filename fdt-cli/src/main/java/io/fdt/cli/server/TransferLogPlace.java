package io.fdt.cli.server;

import io.fdt.cli.command.Context;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.Words;
import io.fdt.core.security.Home;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a transfer log goes: a file, a receiver of HTTP or HTTPS, or the syslog of this host.
 *
 * @param file null if it is another place
 * @param receiver null if it is another place
 */
record TransferLogPlace(@Nullable Path file, @Nullable URI receiver) {
    private static final String SYSLOG = "syslog";
    private static final Pattern URL = Pattern.compile("https?://.*");

    static TransferLogPlace parse(String text) throws BadValueException {
        if (text.equals(SYSLOG)) {
            return new TransferLogPlace(null, null);
        }
        return URL.matcher(text).matches()
                ? new TransferLogPlace(null, receiver(text))
                : new TransferLogPlace(Words.file(text), null);
    }

    private static URI receiver(String text) throws BadValueException {
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException e) {
            throw new BadValueException("not a URL; write https://HOST:PORT/PATH");
        }
        if (uri.getHost() == null || uri.getUserInfo() != null || uri.getFragment() != null) {
            throw new BadValueException("write https://HOST:PORT/PATH; a token belongs in " + LinePost.TOKEN);
        }
        return uri;
    }

    LineSink open(Context context, Consumer<String> warnings) {
        Map<String, String> environment = context.environment();
        if (file != null) {
            return new LineFile(file);
        }
        return receiver == null
                ? new LineSyslog(LineSyslog.SOCKET)
                : new LinePost(
                        receiver, environment.getOrDefault(LinePost.TOKEN, ""), Home.directory(environment), warnings);
    }
}
