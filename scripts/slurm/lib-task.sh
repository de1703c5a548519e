# shellcheck shell=bash
# Shared by the job scripts of scripts/slurm. `copy` copies it into the work directory, because Slurm runs a copy of a
# job script from its own spool directory, without the files beside it. Sourced with `work` set to the work directory:
#
#   fdt          the words of the command that starts fdt, one a line
#   plan/        from `fdt shard plan`: job, shard-NNNN, receipt-NNNN.json, and the key of the job, which the runs find
#                there themselves; no script, argument or environment contains it
#   targets      one server a line: fdt://HOST:PORT/PATH; or
#   servers/     for servers that are started as jobs, the same in one file each: 0000, 0001 …; and their number:
#                servers/count
#   home/        for servers that are started as jobs: the FDT_HOME with their identity and keys
#   log/         the output of the jobs

: "${work:?}"

# Exit codes of fdt that these scripts also use.
# shellcheck disable=SC2034
readonly EXIT_REFUSED=7 EXIT_NO_CONNECTION=8

say() { printf '%s %s: %s\n' "$(date -u +%FT%TZ)" "${SLURMD_NODENAME:-$(hostname)}" "$*" >&2; }

mapfile -t fdt_words <"$work/fdt"

# Runs fdt as a child process that signals are passed to, and returns its exit code.
run_fdt() { # argument…
    "${fdt_words[@]}" "$@" &
    child=$!
    await_child
}

# Waits until the child has ended and returns its exit code. A trapped signal interrupts a wait but does not end the
# child.
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

# Called on the signal that Slurm sends some time before the time limit of the job: data that was moved is not moved
# again, and the job continues after it was requeued.
# shellcheck disable=SC2034
yield_job() {
    told_to_yield=yes
    [[ -z $child ]] || kill -TERM "$child" 2>/dev/null || true
}

end_job() {
    [[ -z $child ]] || kill -TERM "$child" 2>/dev/null || true
}

# Requeues this job and does not return. Returns false if the job was requeued too often, or Slurm does not permit it.
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

# Waits until all servers that were started as jobs have published their addresses, and prints all targets, in order.
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
