# shellcheck shell=bash
# Calls Maven. Sourced by the scripts that need Maven.

# What scripts/fuzz and scripts/bench fetch.
# shellcheck disable=SC2034
readonly FDT_DEPENDENCY_PLUGIN=org.apache.maven.plugins:maven-dependency-plugin:3.6.1
# shellcheck disable=SC2034
readonly FDT_JAZZER=(com.code-intelligence:jazzer:0.26.0 com.code-intelligence:jazzer-api:0.26.0)
# shellcheck disable=SC2034
readonly FDT_PROFILER=tools.profiler:async-profiler:4.1

# Runs Maven, and compares its downloads with their list: those of earlier builds before it uses them, and those of this
# build in the end. Prints errors only, or steps (each module, and how much was downloaded), or all but the downloads.
# FDT_MAVEN_LOG names a file that keeps everything.
fdt_maven() { # errors|steps|all argument…
    local argument chosen=() log=${FDT_MAVEN_LOG-} result=0
    for argument in "${@:2}"; do
        [[ $argument != -Dmaven.repo.local=* ]] || chosen=(--repository "${argument#*=}")
    done
    scripts/artifacts "${chosen[@]}" || return
    [[ -n $log ]] || log=$(mktemp)
    mvn -B "${@:2}" 2>&1 | tee -- "$log" | "fdt_maven_$1" || result=$?
    if ((result != 0)) && [[ $1 != all ]]; then
        grep -v '^\[INFO\]' "$log" >&2 || true
    fi
    scripts/artifacts "${chosen[@]}" --log "$log" || result=$((result ? result : 1))
    [[ -n ${FDT_MAVEN_LOG-} ]] || rm -f -- "$log"
    return "$result"
}

fdt_maven_all() { grep -v --line-buffered '^\[INFO\] Download\(ing\|ed\) from ' || true; }

fdt_maven_errors() { cat >/dev/null; }

fdt_maven_steps() {
    local line downloads=0
    while IFS= read -r line; do
        case $line in
            '[INFO] Building jar: '*) ;;
            '[INFO] Building '*) echo "${line#'[INFO] '}" ;;
            '[INFO] Downloaded from '*) ((++downloads % 100)) || echo "downloaded $downloads files" ;;
        esac
    done
}
