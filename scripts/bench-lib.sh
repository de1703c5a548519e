# shellcheck shell=bash disable=SC2034,SC2154
# Shared by the benchmark scripts: servers that are always stopped, CPU times, rows and reports. The caller sets $jar,
# $runs and $out.

children=()

# Prints the default path of the report.
document_of() { # host
    echo "$out/$(date +%F)-$1.md"
}

# Creates the work directories and ensures that everything is cleaned up.
bench_open() {
    work=$(mktemp -d)
    shm=$(mktemp -d /dev/shm/bench.XXXXXX)
    export FDT_HOME=$work/home
    on_disk=""
    mkdir -p -- "$out" "$FDT_HOME"
    document=${document:-$(document_of "$host")}
    machine >"$work/machine"
    ticks=$(getconf CLK_TCK)
    trap bench_close EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

bench_close() {
    stop_all
    rm -rf -- "$work" "$shm" ${on_disk:+"$on_disk"}
}

# Ends the servers that were started here, by their process ids.
stop_all() {
    local pid
    for pid in "${children[@]}"; do
        kill "$pid" 2>/dev/null || true
    done
    for pid in "${children[@]}"; do
        wait "$pid" 2>/dev/null || true
    done
    children=()
}

# Records for the report how a server was started.
served_by() {
    echo "$*" >>"$work/servers"
}

fdt() { "$JAVA_HOME/bin/java" -jar "$jar" "$@"; }

# Installs fdt as its packages do, with its archive of classes.
install_fdt() {
    export FDT_JAVA_HOME=$JAVA_HOME
    [[ ! -e $work/installed ]] || return 0
    fdt_make_pages "$work/made"
    fdt_prefix "$work/installed" "$work/installed/lib" "$jar" "$work/made"
    "$work/installed/lib/archive-classes"
}

installed_client() { "$work/installed/bin/fdt" client "$@"; }

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Waits until a command succeeds, at most 20 seconds.
await() { # what command…
    local what=$1 try && shift
    for ((try = 0; try < 400; try++)); do
        if "$@" >/dev/null 2>&1; then return; fi
        sleep 0.05
    done
    echo "bench: $what did not start" >&2
    return 1
}

start_fdt_server() { # option…
    : >"$work/fdt.out"
    "$JAVA_HOME/bin/java" -jar "$jar" server --json --listen 127.0.0.1:0 "$@" >"$work/fdt.out" 2>"$work/fdt.err" &
    fdt_pid=$!
    children+=("$fdt_pid")
    await "fdt server" grep -q '"type":"ready"' "$work/fdt.out" || { cat "$work/fdt.err" >&2 && return 1; }
    served_by fdt server --listen 127.0.0.1:0 "$@"
    fdt_port=$(grep '"type":"ready"' "$work/fdt.out" | python3 -c 'import json, sys; print(json.loads(sys.stdin.readline())["port"])')
}

start_iperf3_server() {
    iperf_port=$(free_port)
    iperf3 -s -B 127.0.0.1 -p "$iperf_port" --forceflush >"$work/iperf3.out" 2>&1 &
    iperf_pid=$!
    children+=("$iperf_pid")
    served_by iperf3 -s -B 127.0.0.1 -p "$iperf_port"
    await "iperf3 server" grep -q listening "$work/iperf3.out"
}

start_rsync_daemon() { # directory
    rsync_port=$(free_port)
    cat >"$work/rsyncd.conf" <<CONF
use chroot = no
pid file = $work/rsyncd.pid
log file = $work/rsyncd.log
[target]
path = $1
read only = no
uid = $EUID
gid = $(id -g)
CONF
    rsync --daemon --no-detach --config="$work/rsyncd.conf" --address=127.0.0.1 --port="$rsync_port" &
    children+=("$!")
    served_by rsync --daemon --no-detach --config=CONFIG --address=127.0.0.1 --port="$rsync_port"
    await "rsync daemon" rsync "rsync://127.0.0.1:$rsync_port/"
}

# Admits this user, and sets the command that connects to it. The keys are the same for all parts of a report.
start_sshd() {
    local key
    for key in host user; do
        [[ -e $work/$key ]] || ssh-keygen -q -t ed25519 -N '' -f "$work/$key"
    done
    # It needs the directory for its unprivileged part, which a system service would have created.
    mkdir -p /run/sshd
    ssh_port=$(free_port)
    cat >"$work/sshd_config" <<CONF
ListenAddress 127.0.0.1:$ssh_port
HostKey $work/host
AuthorizedKeysFile $work/user.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
CONF
    /usr/sbin/sshd -D -e -f "$work/sshd_config" 2>"$work/sshd.log" &
    children+=("$!")
    served_by /usr/sbin/sshd -D -f CONFIG
    printf '#!/bin/sh\nexec ssh -F none -p %s -i %s -o BatchMode=yes -o StrictHostKeyChecking=no %s "$@"\n' \
        "$ssh_port" "$work/user" "-o UserKnownHostsFile=/dev/null -o LogLevel=ERROR" >"$work/ssh"
    chmod +x "$work/ssh"
    await sshd "$work/ssh" 127.0.0.1 true
}

# Writes a script that runs the installed fdt at the other end of ssh, which passes no variables on.
installed_server() { # file
    printf '#!/bin/sh\nFDT_HOME=%s FDT_JAVA_HOME=%s exec %s "$@"\n' "$FDT_HOME" "$JAVA_HOME" "$work/installed/bin/fdt" >"$1"
    chmod +x "$1"
}

start_gridftp_server() {
    gridftp_port=$(free_port)
    local command=(globus-gridftp-server -aa -anonymous-user "$(id -un)" -allow-root -disable-usage-stats -control-interface 127.0.0.1
        -data-interface 127.0.0.1 -p "$gridftp_port")
    "${command[@]}" >"$work/gridftp.out" 2>&1 &
    children+=("$!")
    served_by "${command[@]}"
    await "GridFTP server" bash -c "exec 3<>/dev/tcp/127.0.0.1/$gridftp_port"
}

# Prints the CPU seconds of a process so far, including those of its ended children.
cpu_of() { # pid
    awk -v ticks="$ticks" '{ sub(/^.*\) /, ""); printf "%.2f", ($12 + $13 + $14 + $15) / ticks }' "/proc/$1/stat"
}

# Runs a command and sets client_cpu to its CPU seconds and server_cpu to those that the server used meanwhile.
timed() { # server-pid command…
    local server=$1 before after TIMEFORMAT='%U %S' && shift
    before=$(cpu_of "$server")
    { time "$@" 2>"$work/err"; } 2>"$work/times" || { cat "$work/err" >&2 && return 1; }
    after=$(cpu_of "$server")
    client_cpu=$(awk '{ print $1 + $2 }' "$work/times")
    server_cpu=$(awk -v b="$before" -v a="$after" 'BEGIN { print a - b }')
}

many_files() { # directory count bytes
    python3 - "$@" <<'PY'
import os, sys
top, count, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
for i in range(count):
    folder = os.path.join(top, "d%03d" % (i // 1000))
    if i % 1000 == 0:
        os.makedirs(folder)
    with open(os.path.join(folder, "f%06d" % i), "wb", buffering=0) as f:
        f.write(os.urandom(size))
PY
}

progress() { # name run what
    echo "$1: run $2 of $runs, $3" >&2
}

# Adds one measured run.
row() { # name label command values
    printf '%s\t%s\t%s\n' "$2" "${3//"$jar"/fdt.jar}" "$4" >>"$work/$1.tsv"
}

# Adds a picture to the report and copies it into the directory of the document.
picture() { # name svg what
    local beside
    beside=${document%.md}-$(basename "$2")
    cp -- "$2" "$beside"
    printf '![%s](%s)\n' "$3" "$(basename "$beside")" >>"$work/$1.pictures"
}

# Writes a benchmark's part of the document: a table of medians, runs and commands, and pictures. Replaces a part with
# the same title from earlier in the day. Each part describes the machine, because a part may be measured again later.
report() { # name title column…
    local name=$1
    touch "$work/servers"
    python3 - "$work/$name.tsv" "$work/servers" "$(cat "$work/machine")" "$runs" "${@:2}" >"$work/part" <<'PY'
import os, re, statistics, sys
path, servers, machine, runs, title, *columns = sys.argv[1:]
rows = {}
for line in open(path):
    label, command, *values = line.rstrip("\n").split("\t")
    rows.setdefault(label, (command, []))[1].append([float(v) for v in values])
print(f"## {title}\n\n{machine}\n")
many = runs != "1"
print(f"Medians of {runs} runs, which took turns; all runs of the first figure in brackets." if many else "One run each.", "Written by `scripts/bench`.\n")
print("| " + " | ".join([*columns, "command"]) + " |\n| --- |" + " ---: |" * (len(columns) - 1) + " --- |")
def number(v): return f"{v:.3f}" if v < 1 else f"{v:.2f}" if v < 20 else f"{v:.1f}"
def plain(command):
    command = re.sub(r"/dev/shm/bench\.\w+", "/dev/shm/bench", command)
    return re.sub(r"(127\.0\.0\.1:|-p |--port=)[0-9]{3,}", r"\1PORT", command)
for label, (command, values) in rows.items():
    cells = [number(statistics.median(v)) for v in zip(*values)]
    if many:
        cells[0] += f" ({', '.join(number(v[0]) for v in values)})"
    cells.append(command if command == "each pair" else f"`{plain(command)}`")
    print(f"| {label} | " + " | ".join(cells) + " |")
if os.path.exists(pictures := path.replace(".tsv", ".pictures")):
    print("\n" + open(pictures).read(), end="")
if servers := dict.fromkeys(f"`{plain(line.strip())}`" for line in open(servers)):
    print("\nThe servers, up before and between the runs: " + ", ".join(servers) + ".")
PY
    rm -f -- "$work/servers" "$work/$name.pictures"
    place_part "$work/part"
}

# Appends a part, whose first line is its title, to the document. Replaces a part with the same title.
place_part() { # part
    python3 - "$document" "$1" "$host" <<'PY'
import os, re, sys
path, part, host = sys.argv[1], open(sys.argv[2]).read().rstrip() + "\n", sys.argv[3]
text = open(path).read() if os.path.exists(path) else f"# Measured on {host}, {os.path.basename(path)[:10]}\n"
head, *parts = re.split(r"(?m)^(?=## )", text)
title = part.splitlines()[0]
parts = [other for other in parts if other.splitlines()[0] != title] + [part]
open(path, "w").write("\n".join(piece.rstrip() + "\n" for piece in [head, *parts]))
PY
    echo "wrote $document" >&2
}

machine() {
    local commit
    commit=$(git rev-parse --short HEAD)
    [[ -z $(git status --porcelain --untracked-files=no) ]] || commit+=" and changes that are not committed"
    printf '%s, %s cores, %s; Linux %s; %s; fdt %s, commit %s; beside %s, %s; load before: %s.' \
        "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" \
        "$(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)" "$(uname -r)" \
        "$("$JAVA_HOME/bin/java" --version | head -n 1)" "$(fdt --version 2>/dev/null | sed -n '1s/^fdt //p')" "$commit" \
        "$(iperf3 --version | sed -n '1s/ (.*//p')" "$(rsync --version | sed -n '1s/ *protocol.*//p' | tr -s ' ')" \
        "$(cut -d' ' -f1-3 /proc/loadavg)"
}
