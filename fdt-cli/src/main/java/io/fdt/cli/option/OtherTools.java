package io.fdt.cli.option;

import io.fdt.cli.value.Rates;
import io.fdt.cli.value.Words;
import java.util.HashMap;
import java.util.Map;

/**
 * Commands and options of rsync, scp, rclone, iperf3 and globus-url-copy that fdt does not have. A row of a table has
 * commands or options, one that takes a value with an equals sign. A colon and advice follow if fdt refuses them, an
 * arrow and what they mean if it takes them with a note, and nothing if it takes them silently. A row for an option
 * that fdt has counts where no value follows that could be one of fdt. A table is parsed only when a user tries an
 * unknown one.
 */
public final class OtherTools {
    private static final String VALUE = "VALUE";

    public static final String COMMANDS = """
            cp scp rsync globus-url-copy put get push pull send upload download transfer : fdt client SRC… TARGET
            receive daemon serve listen : fdt server --root DIR
            sync mirror : fdt client --delete SRC/ TARGET
            check compare diff : fdt verify SRC TARGET
            list lsf lsl lsd lsjson dir : fdt ls fdt://HOST/PATH
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
            -r --recursive -p --perms -t --times -l --links
            -S --sparse -W --whole-file --partial --append-verify --stats --info= -h --human-readable
            --fast-list --no-traverse --create-empty-src-dirs --metadata --numeric-ids --force
            -a --archive : modes, times and links are copied by default, devices never; leave it out, and for owner and\
             group add --preserve mode,times,links,owner
            -z -C --compress : fdt does not compress; leave it out
            --append --continue : interrupted copies resume by default; leave it out
            --inplace : fdt gives a file its name only when it is complete; leave it out
            -u -> --update
            -c --checksum -> --compare=digest
            -x -> --one-file-system
            -L -> --copy-links
            -I --ignore-times --overwrite -> --existing=overwrite
            -R -> --relative
            -K -> --keep-dirlinks
            --bwlimit= -> --rate-limit=KIB
            --limit : use --rate-limit RATE
            --ignore-existing -> --existing=skip
            --remove-source-files --move -> --remove-source
            --contimeout= -> --timeout=VALUE
            --delete-before --delete-during --delete-delay --delete-after --del --mirror -> --delete
            --max-age= -> --newer=VALUE
            --transfers= --streams= --parallel= --multi-thread-streams= --threads= --jobs= -j= -> --lanes=VALUE
            --checkers= -> fdt has one walk for each source
            --progress -> --progress=auto
            -H --hard-links -> --preserve=+hardlinks
            -X --xattrs -> --preserve=+xattrs
            -A --acls -> --preserve=+acls
            -o --owner -g --group -> --preserve=+owner
            -i --itemize-changes -> --verbose
            --cc= -> --congestion=VALUE
            -4 --ipv4 -> --addresses=ipv4
            -6 --ipv6 -> --addresses=ipv6
            -P : it needs the number of lanes; progress is shown and copies resume without it
            --existing : fdt cannot leave out files that are new in the target; with a word, --existing says what to do\
             with the others
            --from0 : use --files-from FILE -0
            --interactive : fdt asks nothing; use --dry-run first
            --window= -tcp-bs= -tcp-buffer-size= : use --socket-buffer SIZE
            --no-perms --no-times --no-links --no-owner --no-group : use --preserve LIST
            --port= : write fdt://HOST:PORT/PATH; a port of ssh belongs to --ssh COMMAND
            --user= : over ssh write USER@HOST:PATH; a server needs a key instead
            --encrypt --verify : lanes are encrypted and verified; leave it out
            --insecure --no-encryption : use --clear-lanes
            --retries= --low-level-retries= : use --retry TIME
            --max-transfer= : use --max-bytes SIZE
            --log-file= : messages go to standard error; redirect it, with --log-json for a program
            -f= --filter= : use --include GLOB and --exclude GLOB
            --safe-links --copy-unsafe-links : fdt copies links as they are, or with --copy-links what they lead to
            --background --daemon : use systemd-run, see docs/recipes.md, or between two servers --detach
            -F= -J= -B= : an option of ssh belongs to --ssh COMMAND
            -D --devices --specials : fdt copies files, directories and links; it skips devices, pipes and sockets
            -b --backup --backup-dir= --suffix= : fdt keeps no earlier version of a file; leave it out
            --link-dest= --copy-dest= --compare-dest= : fdt compares with the target only; leave it out
            -T= --temp-dir= --partial-dir= : a partial is always next to its file; leave it out
            -m --prune-empty-dirs : fdt copies empty directories; leave it out
            -O --omit-dir-times --omit-link-times : use --preserve mode,links to copy no times
            --list-only : use fdt ls, or --dry-run
            --ignore-errors : a file that fails stops no other file; leave it out
            --chown= --usermap= --groupmap= : owners are copied as numbers; use --preserve mode,times,links,owner
            --immutable : use --existing fail
            --checksum-choice= : use --digest NAME
            --use-json-log : use --log-json
            --buffer-size= --tpslimit= --max-depth= : fdt has no such limit; leave it out
            -bs= -block-size= : blocks are 128 KiB; leave it out
            -vb -dbg : use --progress plain and --verbose
            -cd -create-dest -cc= -concurrency= -pp -fast -stripe : this is the default; leave it out
            -sync -sync-level= : this is the default; for contents use --compare digest
            -rst -restart -rst-retries= -rst-interval= -rst-timeout= : use --retry TIME
            -udt --udt : fdt uses TCP or RDMA; leave it out
            -off= -len= : fdt copies whole files; leave it out
            -cred= -subject= -ss= -ds= : a key names its server; leave it out
            -dcpriv -dcsafe -nodcau : lanes are encrypted and verified; leave it out
            -list : use fdt ls fdt://HOST/PATH
            --rsh= : use --ssh COMMAND
            --rsync-path= : use --remote-command COMMAND
            """;

    /** Options of the coreutils for commands that list files. */
    public static final String OF_LISTINGS = "-a -A -1 --all --almost-all";

    /** Options of the coreutils for other commands that print sizes. */
    public static final String OF_SIZES = "-h --human-readable";

    public static final String OF_NETWORK_TESTS = """
            -c= --client= -> VALUE
            -D --daemon : start fdt server on the other host
            -1 --one-off : a network test is one session; leave it out
            -4 --version4 -> --addresses=ipv4
            -6 --version6 -> --addresses=ipv6
            --json-stream -J -> --json
            -p= --port= : write HOST:PORT
            -P : it needs the number of lanes
            -t= --time= -> --duration=VALUE
            -O= --omit= -> --warm-up=VALUE
            --parallel= --streams= -> --lanes=VALUE
            -R -> --reverse
            -w= -> --socket-buffer=VALUE
            --window= : use --socket-buffer SIZE
            -l= --len= : use --block SIZE
            -b= --bitrate= --bandwidth= -> a network test sends as fast as it can
            -n= --bytes= --num= : use --duration TIME
            -V -> --verbose
            -d --dualtest -> --bidir
            --get-server-output : the result has the figures of both ends; leave it out
            -C= -> --congestion=VALUE
            --cc= -> --congestion=VALUE
            -B= -> --bind=VALUE
            -A= --affinity= : use --pin CORES
            -i= --interval= -> fdt reports each second
            -N --no-delay -Z --zerocopy : this is the default; leave it out
            -M= --set-mss= -S= --tos= --dscp= : fdt leaves it to the kernel; leave it out
            -k= --blockcount= : use --duration TIME
            -f= --format= : fdt chooses a unit that is easy to read, and --json gives bits per second; leave it out
            --logfile= : the result goes to standard output; redirect it
            --connect-timeout= : use --timeout TIME
            --fq-rate= --pacing-timer= : a network test sends as fast as it can; leave it out
            --skip-rx-copy : this is the default; leave it out
            --username= --rsa-public-key-path= : each client needs a key; use fdt key create NAME there
            -u --udp : fdt tests over TCP and RDMA, not UDP
            """;

    private OtherTools() {}

    /** How fdt takes a word that it does not have. */
    public enum Outcome {
        /** Does what its users mean by itself, so nothing is said. */
        TAKEN,
        /** Means the same as an option of fdt, or changes nothing, and a note says so. */
        NOTED,
        REFUSED
    }

    /**
     * A row of a table, for one of its words.
     *
     * @param takesValue whether a value follows
     * @param text the advice, or what to read instead: arguments of fdt, or a sentence about why it changes nothing
     */
    public record Foreign(Outcome outcome, boolean takesValue, String text) {
        /** Whether the text is an argument of fdt; there, VALUE is the value, and KIB a value in KiB a second. */
        public boolean isArgument() {
            return outcome == Outcome.NOTED && (text.startsWith("--") || text.equals(VALUE));
        }

        /** Returns the argument of fdt. */
        public String argument(String value) {
            String kib = value.equals("0") ? Rates.NONE : Words.digits(value) > 0 ? value + "KiB/s" : value;
            return text.replace(VALUE, value).replace("KIB", kib);
        }
    }

    /** Returns the row of each word. */
    public static Map<String, Foreign> table(String rows) {
        Map<String, Foreign> table = new HashMap<>();
        for (String row : rows.split("\n", -1)) {
            int colon = row.indexOf(" : ");
            int arrow = row.indexOf(" -> ");
            Outcome outcome = colon > 0 ? Outcome.REFUSED : arrow > 0 ? Outcome.NOTED : Outcome.TAKEN;
            int end = Math.max(colon, arrow);
            String names = end < 0 ? row : row.substring(0, end);
            String text = colon > 0 ? row.substring(colon + 3) : arrow > 0 ? row.substring(arrow + 4) : "";
            for (String name : names.split(" ", -1)) {
                boolean takesValue = name.endsWith("=");
                String bare = takesValue ? name.substring(0, name.length() - 1) : name;
                table.put(bare, new Foreign(outcome, takesValue, text));
            }
        }
        table.remove("");
        return Map.copyOf(table);
    }
}
