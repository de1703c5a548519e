package io.fdt.cli.option;

import java.util.HashMap;
import java.util.Map;

/**
 * Commands and options of rsync, scp, rclone, iperf3 and globus-url-copy that fdt does not have, with advice. A row of
 * a table has commands or options, a colon, and the advice. A table is parsed only when a user tries an unknown one.
 */
public final class OtherTools {
    public static final String COMMANDS = """
            copy cp scp rsync globus-url-copy put get push pull send upload download transfer : fdt client SRC… TARGET
            receive daemon serve listen : fdt server --root DIR
            sync mirror : fdt client --delete SRC/ TARGET
            check compare diff : fdt verify SRC TARGET
            list lsf lsl lsd lsjson dir : fdt ls fdt://HOST/PATH
            cat : fdt client fdt://HOST/PATH -
            rcat : fdt client - fdt://HOST/PATH
            move rename : fdt mv FROM TO, or fdt client --remove-source SRC… TARGET
            delete del unlink purge rmdir : fdt rm fdt://HOST/PATH
            md5sum : fdt sum --type md5 PATH
            sha256sum : fdt sum --type sha256 PATH
            checksum hashsum : fdt sum PATH
            about du : fdt df fdt://HOST
            iperf iperf3 test speedtest bench benchmark : fdt nettest HOST
            ping : fdt nettest latency HOST
            status top : fdt monitor, or fdt jobs fdt://HOST
            keygen login auth : fdt key create NAME
            resume retry : the same fdt client command again to resume
            man : fdt help --man COMMAND | man -l -
            """;

    public static final String OF_COPIES = """
            -a --archive -r --recursive -p -t --times --perms -l --links : this is the default; leave it out
            -z -C --compress : fdt does not compress; leave it out
            --partial --append --append-verify --continue : interrupted copies resume by default; leave it out
            --inplace : fdt gives a file its name only when it is complete; leave it out
            -c : use --compare digest
            --bwlimit --limit : use --rate-limit RATE
            --transfers --multi-thread-streams --parallel --streams --threads --jobs -j : use -P N
            -X --xattrs : use --preserve mode,times,links,xattrs
            -A --acls : use --preserve mode,times,links,acls
            -H --hard-links : use --preserve mode,times,links,hardlinks
            --owner -g --group : use --preserve mode,times,links,owner
            -o : use --preserve mode,times,links,owner; an option of ssh belongs to --ssh COMMAND
            --no-perms --no-times --no-links --no-owner --no-group --metadata : use --preserve LIST
            --port : write fdt://HOST:PORT/PATH; a port of ssh belongs to --ssh COMMAND
            --user : over ssh write USER@HOST:PATH; a server needs a key instead
            --encrypt --verify : lanes are encrypted and verified; leave it out
            --insecure --no-encryption : use --clear-lanes
            -R : use --relative
            -u : use --update
            -x : use --one-file-system
            -K : use --keep-dirlinks
            -S --sparse -W --whole-file : fdt finds holes, and sends only chunks that are missing; leave it out
            --remove-source-files --move : use --remove-source
            --delete-after --delete-before --delete-during --delete-delay --del --mirror : use --delete
            --retries --low-level-retries : use --retry TIME
            --max-transfer : use --max-bytes SIZE
            --info --stats : the end of a copy prints totals, and --json all figures; leave it out
            --log-file : messages go to standard error; redirect it, with --log-json for a program
            -f --filter : use --include GLOB and --exclude GLOB
            --checkers : fdt has one walk for each source; leave it out
            --contimeout : use --timeout TIME
            -L : use --copy-links
            --safe-links --copy-unsafe-links : fdt copies links as they are, or with --copy-links what they lead to
            --background --daemon : use systemd-run, see docs/recipes.md, or between two servers --detach
            --ignore-existing : use --existing skip
            -I --ignore-times --overwrite --force : use --existing overwrite
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
            -rst -restart -rst-retries -rst-interval -rst-timeout : use --retry TIME
            -udt : fdt uses TCP or RDMA; leave it out
            -off -len : fdt copies whole files; leave it out
            -cred -subject -ss -ds : a key names its server; leave it out
            -dcpriv -dcsafe -nodcau : lanes are encrypted and verified; leave it out
            -list : use fdt ls fdt://HOST/PATH
            --rsh : use --ssh COMMAND
            --rsync-path : use --remote-command COMMAND
            """;

    public static final String OF_NETWORK_TESTS = """
            -c --client : the host needs no option: fdt nettest HOST
            -s --server -D --daemon : start fdt server on the other host
            -1 --one-off : a network test is one session; leave it out
            -4 -6 : write an address of this family
            --json-stream : use --json
            -p --port : write HOST:PORT
            -t --time : use --duration TIME
            -O --omit : use --warm-up TIME
            --parallel --streams : use -P N
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
            --skip-rx-copy : this is the default; leave it out
            --username --rsa-public-key-path : each client needs a key; use fdt key create NAME there
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
