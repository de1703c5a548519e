package io.fdt.cli.verify;

import io.fdt.cli.command.ArgumentReader;
import io.fdt.cli.command.Context;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.UserText;
import io.fdt.core.Fdt;
import io.fdt.core.verify.VerifyJob;
import io.fdt.core.verify.VerifyObserver;
import java.util.List;

/** A verification with the options and operands of {@code verify}, for a command that shows it itself. */
public final class VerifyStart {
    private VerifyStart() {}

    /** @param args options and operands; throws USAGE */
    public static VerifyJob start(List<String> args, Context context, Fdt fdt, VerifyObserver observer) {
        GivenArguments given = ArgumentReader.read(new VerifyCommand(), args);
        VerifyRequest request = VerifyRequest.of(given, Settings.of("verify", given, context.environment()), context);
        if (request.ssh() != null) {
            throw UserText.refusal("a batch uses running servers; write fdt://HOST/PATH");
        }
        return request.network().applied(fdt).verify(request.plan(), observer);
    }
}
