package io.fdt.cli.shard;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.console.Console;
import io.fdt.cli.copy.CopyRows;
import io.fdt.cli.key.KeyCommand;
import io.fdt.cli.key.KeyRing;
import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.GivenOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Section;
import io.fdt.cli.option.Settings;
import io.fdt.cli.run.PlainRun;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.Sizes;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.Permission;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.shard.Costs;
import io.fdt.core.shard.Division;
import io.fdt.core.shard.Job;
import io.fdt.core.shard.JobPlanning;
import io.fdt.core.shard.JobShard;
import io.fdt.core.shard.SplitAbove;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code shard plan}: walks the sources once and splits them into the shards of a job. */
final class ShardPlanCommand extends Command {
    private static final Section JOB = new Section("The job", false);
    private static final Section KEYS = new Section("Its key", false);
    private static final String FORM = "fdt shard plan SRC… --into N --out DIR";

    static final Option INTO = JOB.value("--into N", "number of shards; several times the number of nodes works well");
    static final Option OUT = JOB.value("--out DIR", "directory for the job, on a file system that all nodes share");
    static final Option FILE_COST = JOB.value(
            "--file-cost SIZE", "64KiB", "weight of a file in addition to its data, because many small files are slow");
    static final Option SPLIT_ABOVE = JOB.value(
            "--split-above SIZE",
            "auto",
            "split larger files into ranges for several shards; none splits no file; auto splits files"
                    + " larger than both a twentieth of the mean shard and 1 GiB");
    static final Option INCLUDE = JOB.with(ClientOptions.INCLUDE);
    static final Option EXCLUDE = JOB.with(ClientOptions.EXCLUDE);
    static final Option PRESERVE = JOB.value(
            "--preserve LIST",
            "mode,times,links",
            "metadata to preserve, as for client: this command decides links and xattrs, each run"
                    + " decides the rest");

    static final Option KEY_FILE =
            KEYS.value("--key-file FILE", "file with the key for all runs, as printed by fdt key create");
    static final Option NEW_KEY =
            KEYS.value("--new-key NAME", "create the key here, for a server that uses this user's home");
    static final Option KEY_ROOT = KEYS.list(
            "--key-root DIR", "with --new-key, required: limit the key to this directory and everything below it");
    static final Option KEY_EXPIRES = KEYS.value(
            "--key-expires TIME", "7d", "with --new-key: how long the key is valid, such as 12h or 30d, or a date");

    private static final List<Option> OPTIONS = Option.together(
            JOB.options(), KEYS.options(), List.of(GivenOptions.JSON, GivenOptions.VERBOSE, CommonOptions.HELP));

    ShardPlanCommand() {
        super("shard plan", "split a copy into shards", "SRC…");
    }

    @Override
    protected Help help() {
        return Help.of(OPTIONS)
                .usesHome(true)
                .about("""
                        Walks the sources once and writes DIR/shard-0000 and so on, and finally DIR/job, with a digest
                        of everything. All shards have the same weight: their bytes plus a weight per file. Large files
                        are split into ranges, which arrive in one file through any of the servers; fdt shard finish DIR
                        TARGET gives it its name. The same sources make the same job. Planning keeps the names of only
                        one directory in memory. A directory is copied as a directory; with a trailing slash, only its
                        contents are copied.

                        A new plan replaces one that was interrupted, or of which nothing has run. While one plan writes
                        the job, another one is refused with exit code 2. A source that cannot be read ends the plan.

                        If the job has its own key, DIR/key, which only this user can read, its nodes need no key in
                        their homes. FDT_KEY takes precedence over it.""")
                .example("shard plan /data/run7 --into 64 --out /shared/job", "split run7 into 64 shards")
                .example(
                        "shard plan /data/ --exclude '*.tmp' --into 8 --out job --json",
                        "print the weights of 8 shards as JSON")
                .example(
                        "shard plan /data/run7 --into 64 --out job --new-key run7 --key-root /srv/in --key-expires 3d",
                        "plan on the server, with a key that is valid for three days and one directory");
    }

    @Override
    public int run(List<String> args, Context context) {
        return PlainRun.run(this, args, context, (given, settings, json) -> {
            plan(given, settings, json, context);
            return 0;
        });
    }

    private static void plan(GivenArguments given, Settings settings, boolean json, Context context) {
        Integer into = settings.find(INTO, Words.number(1, 100_000));
        String out = settings.find(OUT, text -> text);
        if (given.operands().isEmpty() || into == null || out == null || out.isEmpty()) {
            String missing = given.operands().isEmpty() ? "source" : into == null ? "--into N" : "--out DIR";
            throw UserText.refusal("no " + missing + "; write " + FORM);
        }
        List<RawPath> sources = new ArrayList<>();
        RawPath here = RawPath.of(Path.of("").toAbsolutePath());
        for (String text : given.operands()) {
            sources.add(source(text, here));
        }
        Costs costs = new Costs(settings.get(FILE_COST, Sizes.between(0, Costs.MAX_ENTRY_BYTES)));
        String keyLine = keyLine(given, settings);
        refuseKnownName(settings, context);
        Path directory = Location.local(out);
        Job job = JobPlanning.plan(
                directory,
                TransferPlan.from(sources).with(CopyValue.RULES, CopyRows.rules(given, context)),
                settings.get(PRESERVE, CopyRows::preserve),
                new Division(into, costs, settings.get(SPLIT_ABOVE, ShardPlanCommand::splitAbove)),
                () -> keyLine == null ? newKey(settings, context) : keyLine,
                context.console()::warning);
        show(job, directory, json, context.console());
    }

    private static SplitAbove splitAbove(String text) throws BadValueException {
        return switch (text) {
            case "auto" -> SplitAbove.DEFAULT;
            case "none" -> SplitAbove.NEVER;
            default -> new SplitAbove(Sizes.atLeast(SplitAbove.MIN_BYTES).parse(text));
        };
    }

    private static RawPath source(String text, RawPath here) {
        if (Location.ofOperand(text).isRemote()) {
            throw UserText.refusal(UserText.quoted(text)
                    + ": sources must be on a file system that all nodes share; write a local path");
        }
        return here.resolve(RawPath.ofText(text));
    }

    /** Returns the line in the key file, which is checked before the walk; null if there is none. */
    private static @Nullable String keyLine(GivenArguments given, Settings settings) {
        String file = settings.find(KEY_FILE, text -> text);
        String name = settings.find(NEW_KEY, text -> text);
        if (name == null && (given.has(KEY_ROOT) || given.has(KEY_EXPIRES))) {
            throw UserText.refusal("--key-root and --key-expires apply only to --new-key");
        }
        if (name != null && file != null) {
            throw UserText.refusal("--key-file and --new-key cannot be combined; give only one of them");
        }
        if (name != null && !given.has(KEY_ROOT)) {
            throw UserText.refusal("--new-key needs --key-root DIR, because a job's key is valid only for its target");
        }
        if (file == null) {
            return null;
        }
        try {
            String line = Files.readString(Location.local(file), StandardCharsets.UTF_8)
                    .strip();
            return ServerAccess.parse(line).toLine();
        } catch (IOException e) {
            throw UserText.refusal("--key-file: cannot read " + UserText.quoted(file) + ": "
                    + UserText.visible(TransferException.reason(e)));
        }
    }

    /** Refuses a key name that exists, before the walk. An interrupted plan may have created the key. */
    private static void refuseKnownName(Settings settings, Context context) {
        String name = settings.find(NEW_KEY, text -> text);
        if (name != null
                && KeyRing.of(context).list().stream()
                        .anyMatch(key ->
                                key.role() == KeyRing.Role.ADMITS && key.name().equals(name))) {
            throw UserText.refusal("--new-key " + UserText.quoted(name)
                    + ": a key with that name exists; if an interrupted plan created it, revoke it with fdt key"
                    + " revoke "
                    + UserText.visible(name) + ", otherwise choose another name");
        }
    }

    private static @Nullable String newKey(Settings settings, Context context) {
        String name = settings.find(NEW_KEY, text -> text);
        if (name == null) {
            return null;
        }
        List<String> roots = settings.all(KEY_ROOT, KeyCommand::directory);
        Instant expires = settings.get(KEY_EXPIRES, KeyCommand::expiry).orElse(null);
        return KeyRing.of(context)
                .create(name, Permission.READ_WRITE.within(roots), expires, false)
                .line();
    }

    private static void show(Job job, Path directory, boolean json, Console console) {
        if (json) {
            for (JobShard shard : job.shards()) {
                console.data(new JsonObject()
                        .with("shard", shard.number())
                        .with("file", shard.fileName())
                        .with("entries", shard.entries())
                        .with("files", shard.files())
                        .with("bytes", shard.bytes())
                        .with("cost", shard.cost())
                        .line("shard"));
            }
            console.data(new JsonObject()
                    .with("outcome", "ok")
                    .with("exit_code", 0)
                    .with("job", job.id())
                    .with("digest", job.digest())
                    .with("directory", directory.toString())
                    .with("shards", job.shards().size())
                    .with("entries", job.entries())
                    .with("files", job.files())
                    .with("files_in_ranges", job.ranged())
                    .with("bytes", job.bytes())
                    .with("largest_above_mean", job.imbalance(), 4)
                    .line("summary"));
            return;
        }
        console.data(Figures.text(
                "%d shards of %d files, %s, in %s; the largest is %.1f %% above the mean",
                job.shards().size(),
                job.files(),
                Figures.bytes(job.bytes()),
                UserText.visible(directory.toString()),
                100 * job.imbalance()));
    }
}
