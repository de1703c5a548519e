package io.fdt.cli.option;

import java.util.HashMap;
import java.util.Map;

/**
 * Options of rsync, scp, rclone, iperf3 and globus-url-copy that fdt does not have, with advice. A row of a table has
 * options, a colon, and the advice. A table is parsed only when a user tries an unknown option.
 */
public final class OtherTools {
    public static final String OF_COPIES = """
            -a --archive -r --recursive -p -t --times --perms -l --links : this is the default; leave it out
            -z -C --compress : fdt does not compress; leave it out
            --partial --append --append-verify : interrupted copies resume by default; leave it out
            --inplace : fdt gives a file its name only when it is complete; leave it out
            -c : use --compare digest
            --bwlimit : use --rate-limit RATE
            --transfers --multi-thread-streams : use -P N
            -X --xattrs : use --preserve mode,times,links,xattrs
            -A --acls : use --preserve mode,times,links,acls
            -H --hard-links : use --preserve mode,times,links,hardlinks
            -o --owner -g --group : use --preserve mode,times,links,owner
            -R : use --relative
            -u : use --update
            -x : use --one-file-system
            -K : use --keep-dirlinks
            -S --sparse -W --whole-file : fdt finds holes, and sends only chunks that are missing; leave it out
            --remove-source-files : use --remove-source
            --delete-after --delete-before --delete-during --delete-delay --del : use --delete
            --retries --low-level-retries : use --retry TIME
            --max-transfer : use --max-bytes SIZE
            --info --stats : the end of a copy prints totals, and --json all figures; leave it out
            --log-file : messages go to standard error; redirect it, with --log-json for a program
            -f --filter : use --include GLOB and --exclude GLOB
            --checkers : fdt has one walk for each source; leave it out
            --contimeout : use --timeout TIME
            -L : use --copy-links
            --ignore-existing : use --existing skip
            -I --ignore-times : use --existing overwrite
            -i --itemize-changes : use --json=files; a key of ssh belongs to --ssh COMMAND
            -F -J -B : an option of ssh belongs to --ssh COMMAND
            -D --devices --specials : fdt copies files, directories and links; it skips devices, pipes and sockets
            -b --backup --backup-dir --suffix : fdt keeps no earlier version of a file; leave it out
            --link-dest --copy-dest --compare-dest : fdt compares with the target only; leave it out
            -T --temp-dir --partial-dir : a partial is always beside its file; leave it out
            -m --prune-empty-dirs : fdt copies empty directories; leave it out
            -O --omit-dir-times --omit-link-times : use --preserve mode,links to copy no times
            --list-only : use fdt ls, or --dry-run
            --ignore-errors : a file that fails stops no other file; leave it out
            --chown --usermap --groupmap --numeric-ids : owners are numbers; use --preserve mode,times,links,owner
            --max-age : use --newer TIME
            --immutable : use --existing fail
            --checksum-choice : use --digest NAME
            --use-json-log : use --log-json
            --fast-list --buffer-size --tpslimit --max-depth : fdt has no such limit; leave it out
            -tcp-bs -tcp-buffer-size : use --socket-buffer SIZE
            -bs -block-size : blocks are 128 KiB; leave it out
            -vb -dbg : use --progress plain and --verbose
            -cd -create-dest -cc -concurrency -pp -fast -stripe : this is the default; leave it out
            -sync -sync-level : this is the default; for contents use --compare digest
            -rst -restart : use --retry TIME
            -dcpriv -dcsafe -nodcau : lanes are encrypted and verified; leave it out
            -list : use fdt ls fdt://HOST/PATH
            --rsh : use --ssh COMMAND
            --rsync-path : use --remote-command COMMAND
            """;

    public static final String OF_NETWORK_TESTS = """
            -c --client : the host needs no option: fdt nettest HOST
            -s --server : start fdt server on the other host
            -p --port : write HOST:PORT
            -t --time : use --duration TIME
            -O --omit : use --warm-up TIME
            --parallel : use -P N
            -R : use --reverse
            -w --window : use --socket-buffer SIZE
            -l --len : use --block SIZE
            -b --bitrate --bandwidth : a network test sends as fast as it can; leave it out
            -n --bytes --num : use --duration TIME
            -V : use -v
            -d --dualtest : use --bidir
            --get-server-output : the result has the figures of both ends; leave it out
            -J : use --json
            -C : use --congestion NAME
            -B : use --bind ADDRESS
            -A --affinity : use --pin CORES
            -i --interval : fdt reports each second; leave it out
            -N --no-delay -Z --zerocopy : this is the default; leave it out
            -M --set-mss -S --tos --dscp : fdt leaves it to the kernel; leave it out
            -k --blockcount : use --duration TIME
            -f --format : fdt chooses a unit that is easy to read, and --json gives bits per second; leave it out
            --logfile : the result goes to standard output; redirect it
            --connect-timeout : use --timeout TIME
            --fq-rate --pacing-timer : a network test sends as fast as it can; leave it out
            -u --udp : fdt tests over TCP, RDMA and lanes within a host, not UDP
            """;

    private OtherTools() {}

    /** Returns the advice for each option. */
    public static Map<String, String> table(String rows) {
        Map<String, String> replacements = new HashMap<>();
        for (String row : rows.split("\n", -1)) {
            int colon = row.indexOf(" : ");
            if (colon > 0) {
                for (String option : row.substring(0, colon).split(" ", -1)) {
                    replacements.put(option, row.substring(colon + 3));
                }
            }
        }
        return Map.copyOf(replacements);
    }
}
