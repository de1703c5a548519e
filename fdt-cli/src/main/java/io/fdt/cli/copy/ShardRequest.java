package io.fdt.cli.copy;

import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.shard.Job;
import io.fdt.core.shard.JobKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The shard that {@code client --shard} runs, and its target server.
 *
 * @param keyLine of the job, or null if it has none or the environment provides one
 */
public record ShardRequest(Path file, Route route, @Nullable String keyLine) {
    private static final String FORM = "fdt client --shard DIR/K TARGET";

    /** Returns null if no shard is requested. */
    static @Nullable ShardRequest of(GivenArguments given, Settings settings, Map<String, String> environment) {
        JobShard place = settings.find(ClientOptions.SHARD, ShardRequest::place);
        Path map = settings.file(ClientOptions.TARGET_MAP);
        if (place == null) {
            if (map != null) {
                throw UserText.refusal("--target-map applies only to --shard; leave it out");
            }
            return null;
        }
        given.refuse(
                List.of(ClientOptions.DELETE),
                " cannot be used with --shard, which knows a part of the source; after fdt shard finish, run fdt client"
                        + " --delete SRC... TARGET, which moves nothing that is in place");
        given.refuse(ClientOptions.OF_SELECTIONS, " cannot be used with --shard; fdt shard plan decided what to copy");
        Path file = Job.readFrom(place.directory).shardFile(place.directory, place.number);
        List<Location> targets = targets(given.operands(), map);
        Location target = targets.get(place.number % targets.size());
        Route route = new Route(Direction.PUSH, null, target.server(), target.ssh(), List.of(), target.pathOrTop());
        return new ShardRequest(file, route, target.ssh() != null ? null : keyLine(place.directory, environment));
    }

    /** Returns the job's own key line; null if it has none or the environment has one. */
    public static @Nullable String keyLine(Path job, Map<String, String> environment) {
        boolean given = !environment.getOrDefault(ServerAccess.ENVIRONMENT, "").isBlank();
        return given ? null : JobKey.find(job);
    }

    private record JobShard(Path directory, int number) {}

    /** Parses {@code DIR/7} or {@code DIR/shard-0007}. */
    private static JobShard place(String text) throws BadValueException {
        Path path = Words.file(text);
        String name = String.valueOf(path.getFileName());
        String digits = name.startsWith("shard-") ? name.substring("shard-".length()) : name;
        int number = Words.digits(digits);
        if (number < 0) {
            throw new BadValueException("not a shard; write DIR/7 or DIR/shard-0007");
        }
        Path directory = path.getParent();
        return new JobShard(directory == null ? Path.of(".") : directory, number);
    }

    /** Returns the targets. With several servers, a shard uses the one at its number modulo their count. */
    public static List<Location> targets(List<String> operands, @Nullable Path map) {
        if (operands.size() > 1 || (operands.isEmpty() && map == null)) {
            throw UserText.refusal(
                    (operands.isEmpty() ? "no target" : "a shard has its own sources") + "; write " + FORM);
        }
        String operand = operands.isEmpty() ? null : operands.get(0);
        if (map == null) {
            return operand == null ? List.of() : remote(split(operand), null);
        }
        RawPath path = operand == null
                ? null
                : operand.startsWith(Location.SCHEME)
                        ? Location.ofOperand(operand).pathOrTop()
                        : RawPath.ofText(operand);
        if (path != null && !path.isAbsolute()) {
            throw UserText.refusal(UserText.quoted(String.valueOf(operand))
                    + ": the servers stand in --target-map; write their common path from / on");
        }
        List<String> servers = lines(map);
        if (servers.isEmpty()) {
            throw UserText.refusal("--target-map " + UserText.quoted(map.toString()) + ": names no server");
        }
        return remote(servers, path);
    }

    /**
     * Splits {@code fdt://A/in,fdt://B/in} or {@code fdt://A,B/in}: a comma separates servers before the path, and
     * before another address; elsewhere in a path it is part of a name.
     */
    private static List<String> split(String operand) {
        List<String> parts = new ArrayList<>();
        int slash = operand.startsWith(Location.SCHEME) ? operand.indexOf('/', Location.SCHEME.length()) : -1;
        String hosts = slash < 0 ? operand : operand.substring(0, slash);
        if (hosts.startsWith(Location.SCHEME) && hosts.indexOf(',') >= 0 && !hosts.contains("," + Location.SCHEME)) {
            String path = slash < 0 ? "" : operand.substring(slash);
            for (String host : hosts.substring(Location.SCHEME.length()).split(",", -1)) {
                parts.add(Location.SCHEME + host + path);
            }
            return parts;
        }
        return List.of(operand.split(",(?=" + Location.SCHEME + ")", -1));
    }

    private static List<Location> remote(List<String> texts, @Nullable RawPath path) {
        List<Location> locations = new ArrayList<>();
        for (String text : texts) {
            boolean bare = path != null && !text.startsWith(Location.SCHEME);
            Location location = Location.ofOperand(bare ? Location.SCHEME + text : text);
            if (!location.isRemote()) {
                throw UserText.refusal(
                        UserText.quoted(text) + ": a shard is copied to a server; write fdt://HOST[:PORT]/PATH");
            }
            boolean pathless = bare || location.pathOrTop().equals(RawPath.ofText("/"));
            locations.add(path != null && pathless ? new Location(location.server(), location.ssh(), path) : location);
        }
        return locations;
    }

    /** One server per line; empty lines and lines that begin with # are ignored. */
    private static List<String> lines(Path map) {
        try {
            return Files.readAllLines(map, StandardCharsets.UTF_8).stream()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .toList();
        } catch (IOException e) {
            throw refusal(map, e);
        }
    }

    private static TransferException refusal(Path map, IOException e) {
        return UserText.refusal("--target-map: cannot read " + UserText.quoted(map.toString()) + ": "
                + UserText.visible(TransferException.reason(e)));
    }
}
