# shellcheck shell=bash
# What the job scripts of scripts/slurm share. `copy` lays it into the work directory, since Slurm runs a copy of a job script from its own
# spool, where nothing lies beside it. Sourced with `work` set to the work directory:
#
#   fdt          the words that start fdt, one a line
#   plan/        of `fdt shard plan`: job, shard-NNNN, receipt-NNNN.json, and the key of the job, which the runs find there by themselves; it
#                stands in no script, argument or environment
#   targets      one server a line: fdt://HOST:PORT/PATH; or
#   servers/     where servers that are started as jobs write the same, a file each: 0000, 0001 …; and how many there are: servers/count
#   home/        of servers that are started as jobs: the FDT_HOME with their identity and keys
#   log/         what the jobs print

: "${work:?}"

# Exit codes of fdt that these scripts give in its place.
# shellcheck disable=SC2034
readonly EXIT_REFUSED=7 EXIT_NO_CONNECTION=8

say() { printf '%s %s: %s\n' "$(date -u +%FT%TZ)" "${SLURMD_NODENAME:-$(hostname)}" "$*" >&2; }

mapfile -t fdt_words <"$work/fdt"

# Runs fdt as a child that a signal reaches, and returns its exit code.
run_fdt() { # argument…
    "${fdt_words[@]}" "$@" &
    child=$!
    await_child
}

# Waits for the child to its end and returns its exit code. A signal that is trapped ends a wait and not the child.
await_child() {
    local code=0 pid=$child
    while kill -0 "$pid" 2>/dev/null; do
        wait "$pid" || true
    done
    wait "$pid" || code=$?
    child=''
    return "$code"
}

child=''
# Read by the job scripts.
# shellcheck disable=SC2034
told_to_yield=''

# Slurm says so some time before the limit of the job: what was moved stays moved, and the job goes on in the queue.
# shellcheck disable=SC2034
yield_job() {
    told_to_yield=yes
    [[ -z $child ]] || kill -TERM "$child" 2>/dev/null || true
}

end_job() {
    [[ -z $child ]] || kill -TERM "$child" 2>/dev/null || true
}

# Puts this job back into the queue and does not return; false when it has been there often enough, or Slurm does not allow it.
requeue() { # why
    local limit=${FDT_SLURM_REQUEUES:-20}
    if ((${SLURM_RESTART_COUNT:-0} >= limit)); then
        say "$1; not queued again after ${SLURM_RESTART_COUNT} times"
        return 1
    fi
    say "$1; back into the queue"
    scontrol requeue "$SLURM_JOB_ID" || return 1
    # Slurm ends this process now.
    sleep 300
    return 1
}

# Waits until all servers that were started as jobs have said where they are, and prints all targets, in order.
targets() {
    if [[ -r $work/targets ]]; then
        cat -- "$work/targets"
        return
    fi
    local count number file deadline=$((SECONDS + ${FDT_SLURM_SERVER_WAIT:-600}))
    count=$(<"$work/servers/count")
    for ((number = 0; number < count; number++)); do
        printf -v file '%s/servers/%04d' "$work" "$number"
        until [[ -s $file ]]; do
            if ((SECONDS >= deadline)); then
                say "server $number of $count has not started"
                return "$EXIT_NO_CONNECTION"
            fi
            sleep 1
        done
        cat -- "$file"
    done
}
