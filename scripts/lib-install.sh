# shellcheck shell=bash
# What a bare Debian machine needs to build and test fdt. Sourced by scripts/test and scripts/quickstart.

# The one list: a command or file that shows the package is there, then the package.
readonly FDT_NEEDS=(
    "command:mvn                                 maven"
    "command:gcc                                 gcc"
    "file:/usr/include/stdio.h                   libc6-dev"
    "file:/usr/include/infiniband/verbs.h        libibverbs-dev"
    "file:/usr/include/rdma/rdma_cma.h           librdmacm-dev"
    "command:git                                 git"
    "command:rsync                               rsync"
    "command:iperf3                              iperf3"
    "command:setfattr                            attr"
    "command:python3                             python3"
)

# What only some system tests and scripts/monitoring use. Where one cannot be had, those tests are skipped and listed.
readonly FDT_MONITORING_NEEDS=(
    "command:prometheus                          prometheus"
    "command:chromium                            chromium"
    "command:curl                                curl"
)

# Prints the home of the JDK to use: 17 if there is one, wherever the default points, else the newest JDK after it.
fdt_java_home() {
    local home release best="" best_release=0
    for home in "${JAVA_HOME:-}" /usr/lib/jvm/* /opt/java/* "$(dirname "$(dirname "$(readlink -f "$(command -v javac || echo /none/bin/javac)")")")"; do
        [[ -n $home && -x $home/bin/javac && -r $home/release ]] || continue
        release=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release")
        [[ $release =~ ^[0-9]+$ ]] || continue
        if ((release == 17)); then
            echo "$home"
            return
        fi
        if ((release > 17 && release > best_release)); then
            best=$home best_release=$release
        fi
    done
    [[ -n $best ]] && echo "$best"
}

# Prints the packages that are missing, one a line.
fdt_missing_packages() {
    local need probe package
    [[ -n $(fdt_java_home) ]] || echo openjdk-17-jdk-headless
    for need in "${FDT_NEEDS[@]}"; do
        read -r probe package <<<"$need"
        case $probe in
            command:*) command -v "${probe#command:}" >/dev/null || echo "$package" ;;
            file:*) [[ -e ${probe#file:} ]] || echo "$package" ;;
        esac
    done
}

# Installs what is missing, with nothing to do and no apt call when all is there; then exports JAVA_HOME.
fdt_install() {
    local missing
    mapfile -t missing < <(fdt_missing_packages)
    if ((${#missing[@]} > 0)); then
        if ! command -v apt-get >/dev/null; then
            echo "missing here: ${missing[*]}; install what your system calls them, and run this again" >&2
            return 1
        fi
        if ((EUID != 0)); then
            echo "missing here: ${missing[*]}; run as root: apt-get install ${missing[*]}" >&2
            return 1
        fi
        echo "installing ${missing[*]}" >&2
        DEBIAN_FRONTEND=noninteractive apt-get -qq update >&2
        DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "${missing[@]}" >&2
    fi
    JAVA_HOME=$(fdt_java_home) || {
        echo "no JDK 17 or later found, although all packages are there" >&2
        return 1
    }
    export JAVA_HOME
}

# Installs what is missing of the named commands of FDT_MONITORING_NEEDS; false, with a word on standard error, when one
# cannot be had.
fdt_install_monitoring() { # command…
    local need probe package command missing=()
    for need in "${FDT_MONITORING_NEEDS[@]}"; do
        read -r probe package <<<"$need"
        for command in "$@"; do
            if [[ $probe == "command:$command" ]] && ! command -v "$command" >/dev/null; then
                missing+=("$package")
            fi
        done
    done
    ((${#missing[@]} > 0)) || return 0
    if ! command -v apt-get >/dev/null || ((EUID != 0)); then
        echo "missing here: ${missing[*]}; run as root: apt-get install ${missing[*]}" >&2
        return 1
    fi
    echo "installing ${missing[*]}" >&2
    DEBIAN_FRONTEND=noninteractive apt-get -qq update >&2 &&
        DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "${missing[@]}" >&2
}
