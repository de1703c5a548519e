package io.fdt.core.shard;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.JsonReader;
import io.fdt.core.basic.NewFile;
import io.fdt.core.digest.Sha256;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * A job, from its file: its totals and its shards, with a digest of all of it. The file is written last: a directory
 * without it contains an unfinished plan.
 *
 * @param id the same for the same sources in the same state
 * @param entries of all shards; a directory that several shards need counts once, a file in ranges once for each range
 * @param ranged files that are copied in ranges, and get their names only when the job is finished
 * @param widened directories that get their modes only when the job is finished
 */
public record Job(
        String id, long entries, long files, long entryCost, long widened, long ranged, List<JobShard> shards) {
    private static final String TYPE = "fdt-job";
    private static final int VERSION = 1;
    private static final String DIGEST_KIND = "sha256:";
    static final int MAX_SHARDS = 1_000_000;

    public Job {
        shards = List.copyOf(shards);
    }

    public long bytes() {
        return shards.stream().mapToLong(JobShard::bytes).sum();
    }

    public long cost() {
        return shards.stream().mapToLong(JobShard::cost).sum();
    }

    /** Covers everything in the file, and the shards through their own digests. */
    public String digest() {
        StringBuilder text = new StringBuilder(128 + shards.size() * 128);
        text.append(id).append(' ').append(entries).append(' ').append(files).append(' ');
        text.append(bytes())
                .append(' ')
                .append(cost())
                .append(' ')
                .append(entryCost)
                .append(' ');
        text.append(widened).append(' ').append(ranged).append('\n');
        for (JobShard shard : shards) {
            text.append(shard.number()).append(' ').append(shard.entries()).append(' ');
            text.append(shard.files()).append(' ').append(shard.bytes()).append(' ');
            text.append(shard.cost()).append(' ').append(shard.sha256()).append('\n');
        }
        byte[] sum = Sha256.begin().digest(text.toString().getBytes(StandardCharsets.US_ASCII));
        return DIGEST_KIND + HexFormat.of().formatHex(sum);
    }

    /** How far the largest shard exceeds the mean, as a fraction of the mean. */
    public double imbalance() {
        double mean = (double) cost() / Math.max(1, shards.size());
        long largest = shards.stream().mapToLong(JobShard::cost).max().orElse(0);
        return mean == 0 ? 0 : largest / mean - 1;
    }

    /** Whether the directory contains a complete plan. */
    static boolean isIn(Path directory) {
        return Files.exists(directory.resolve(JobFiles.JOB));
    }

    /** The file of a shard, as it was planned; throws USAGE if there is none, or if it was changed. */
    public Path shardFile(Path directory, int number) {
        if (number < 0 || number >= shards.size()) {
            throw Cause.USAGE
                    .at(JobFiles.shown(directory))
                    .failure("has no shard " + number + "; the last one is " + (shards.size() - 1));
        }
        JobShard shard = shards.get(number);
        Path file = directory.resolve(shard.fileName());
        if (!Shard.digestText(file).equals(shard.sha256())) {
            throw JobFiles.damaged(file, "it does not match the job");
        }
        return file;
    }

    void writeTo(Path directory) {
        Path file = directory.resolve(JobFiles.JOB);
        JsonFactory factory =
                JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
        try (NewFile written = NewFile.of(file);
                JsonGenerator json = factory.createGenerator(written.stream())) {
            json.useDefaultPrettyPrinter();
            write(json);
            json.flush();
            written.publish();
        } catch (IOException e) {
            throw JobFiles.unwritable(file, e);
        }
    }

    private void write(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("type", TYPE);
        json.writeNumberField("version", VERSION);
        json.writeStringField("job", id);
        json.writeNumberField("entries", entries);
        json.writeNumberField("files", files);
        json.writeNumberField("bytes", bytes());
        json.writeNumberField("cost", cost());
        json.writeNumberField("file_cost", entryCost);
        json.writeNumberField("widened_directories", widened);
        json.writeNumberField("files_in_ranges", ranged);
        json.writeArrayFieldStart("shards");
        for (JobShard shard : shards) {
            json.writeStartObject();
            json.writeNumberField("shard", shard.number());
            json.writeStringField("file", shard.fileName());
            json.writeNumberField("entries", shard.entries());
            json.writeNumberField("files", shard.files());
            json.writeNumberField("bytes", shard.bytes());
            json.writeNumberField("cost", shard.cost());
            json.writeStringField("sha256", shard.sha256());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeStringField("digest", digest());
        json.writeEndObject();
    }

    /** @throws TransferException USAGE, if the directory contains no complete plan, or its job file was changed */
    public static Job readFrom(Path directory) {
        Path file = directory.resolve(JobFiles.JOB);
        if (!Files.exists(file)) {
            throw Cause.USAGE.at(JobFiles.shown(directory)).failure(whatIsIn(directory));
        }
        try (JsonReader json = JsonReader.of(Files.newInputStream(file))) {
            return read(file, json);
        } catch (IOException e) {
            throw JobFiles.damaged(file, TransferException.reason(e));
        }
    }

    /** Describes a directory without a job file. */
    private static String whatIsIn(Path directory) {
        if (!Files.isDirectory(directory) || JobFiles.ofPlan(directory).isEmpty()) {
            return "contains no job; create one with fdt shard plan SRC… --into N --out DIR";
        }
        // A killed planner cannot be distinguished from one that is still running, perhaps on another host.
        return "contains an unfinished plan, which is still being written or was interrupted; "
                + (JobFiles.isAgain(directory)
                        ? "fdt shard finish --again creates a new one"
                        : "if no other process is writing it, run the same fdt shard plan again to replace it");
    }

    private static Job read(Path file, JsonReader json) throws IOException {
        List<JobShard> shards = new ArrayList<>();
        JsonObject job = json.next("shards", (before, shard) -> {
            if (shards.size() == MAX_SHARDS) {
                throw new IOException("it has more than " + MAX_SHARDS + " shards");
            }
            shards.add(new JobShard(
                    (int) shard.count("shard"),
                    shard.count("entries"),
                    shard.count("files"),
                    shard.count("bytes"),
                    shard.count("cost"),
                    shard.text("sha256")));
        });
        if (job == null) {
            throw JobFiles.damaged(file, "it contains no JSON object");
        }
        if (!job.text("type").equals(TYPE)) {
            throw JobFiles.damaged(file, "it is not a job of fdt shard plan");
        }
        long version = job.count("version");
        if (version != VERSION) {
            throw Cause.USAGE
                    .at(JobFiles.shown(file))
                    .failure("is of version " + version + "; this release supports version " + VERSION);
        }
        Job read = new Job(
                job.text("job"),
                job.count("entries"),
                job.count("files"),
                job.count("file_cost"),
                job.count("widened_directories"),
                job.count("files_in_ranges"),
                shards);
        if (!read.digest().equals(job.text("digest"))
                || read.bytes() != job.count("bytes")
                || read.cost() != job.count("cost")) {
            throw JobFiles.damaged(file, "it does not match its digest");
        }
        return read;
    }
}
