# shellcheck shell=bash disable=SC2034
# The Debian packages that building and testing fdt needs. Sourced by scripts/test, scripts/lab, scripts/package and
# scripts/quickstart.

# Each line has a command or file that shows that the package is installed, then the package. A build needs these
# packages and a JDK.
readonly FDT_BUILD_NEEDS=(
    "command:mvn                                 maven"
    "command:gcc                                 gcc"
    "file:/usr/include/stdio.h                   libc6-dev"
)

# Additional packages for a build with RDMA.
readonly FDT_RDMA_NEEDS=(
    "file:/usr/include/infiniband/verbs.h        libibverbs-dev"
    "file:/usr/include/rdma/rdma_cma.h           librdmacm-dev"
)

# Additional packages for the everyday tests.
readonly FDT_TEST_NEEDS=(
    "${FDT_RDMA_NEEDS[@]}"
    "command:git                                 git"
    "command:ip                                  iproute2"
    "command:rsync                               rsync"
    "command:npm                                 npm"
    "command:curl                                curl"
    "command:iperf3                              iperf3"
    "command:setfattr                            attr"
    "command:bindfs                              bindfs"
    "file:/usr/sbin/mkfs.ext4                    e2fsprogs"
    "file:/usr/sbin/mkfs.xfs                     xfsprogs"
    "file:/usr/sbin/mkfs.btrfs                   btrfs-progs"
    "command:ssh                                 openssh-client"
    "file:/usr/sbin/sshd                         openssh-server"
    "command:python3                             python3"
    "file:/usr/share/doc/python3-venv            python3-venv"
    "command:strace                              strace"
    "command:shellcheck                          shellcheck"
    "command:aspell                              aspell"
    "file:/usr/share/doc/aspell-en               aspell-en"
    "command:git-annex                           git-annex"
    "command:gpg                                 gnupg"
    "command:curl                                curl"
    "command:make                                make"
    "command:pkg-config                          pkg-config"
    "file:/usr/include/gfal2/gfal_api.h          libgfal2-dev"
    "file:/usr/include/json-c/json.h             libjson-c-dev"
    "command:gfal-copy                           gfal2-util-scripts"
    "file:/usr/share/doc/gfal2-plugin-file       gfal2-plugin-file"
)

# Packages for scripts/monitoring.
readonly FDT_MONITORING_NEEDS=(
    "command:prometheus-pushgateway              prometheus-pushgateway"
    "command:prometheus                          prometheus"
    "command:curl                                curl"
)

# Additional packages for the tests of scraped and pushed metrics.
readonly FDT_FIGURE_NEEDS=(
    "command:victoria-metrics                    victoria-metrics"
    "command:mpstat                              sysstat"
)

# Additional packages for the tests of the live page.
readonly FDT_BROWSER_NEEDS=(
    "command:chromium                            chromium"
)

# Additional packages for scripts/bench.
readonly FDT_BENCH_NEEDS=(
    "command:sockperf                            sockperf"
    "command:strace                              strace"
    "file:/usr/include/liburing.h                liburing-dev"
    "file:/usr/lib/python3/dist-packages/matplotlib python3-matplotlib"
)

# Additional packages for the parts path and file of scripts/bench.
readonly FDT_GRIDFTP_NEEDS=(
    "command:globus-url-copy                     globus-gass-copy-progs"
    "file:/usr/sbin/globus-gridftp-server        globus-gridftp-server-progs"
)

# Packages to compile the native library for the other machine, and to run it in a test.
case $(uname -m) in
    aarch64)
        readonly FDT_CROSS_NEEDS=(
            "command:x86_64-linux-gnu-gcc                gcc-x86-64-linux-gnu"
            "file:/usr/x86_64-linux-gnu/include/stdio.h  libc6-dev-amd64-cross"
        )
        ;;
    *)
        readonly FDT_CROSS_NEEDS=(
            "command:aarch64-linux-gnu-gcc               gcc-aarch64-linux-gnu"
            "file:/usr/aarch64-linux-gnu/include/stdio.h libc6-dev-arm64-cross"
            "command:qemu-aarch64-static                 qemu-user-static"
        )
        ;;
esac

# Additional packages for scripts/package, and for the tests of completions and manual pages.
readonly FDT_PACKAGING_NEEDS=(
    "command:dpkg-deb                            dpkg"
    "command:rpmbuild                            rpm"
    "command:rpm2cpio                            rpm2cpio"
    "command:cpio                                cpio"
    "command:dnf                                 dnf"
    "command:python3                             python3"
    "file:/usr/share/doc/python3-venv            python3-venv"
    "command:objcopy                             binutils"
    "command:man                                 man-db"
    "command:zsh                                 zsh"
    "command:fish                                fish"
    "command:runc                                runc"
    "file:/lib/systemd/systemd                   systemd"
    "file:/usr/sbin/logrotate                    logrotate"
    "command:ps                                  procps"
    "command:curl                                curl"
    "command:make                                make"
    "command:pkg-config                          pkg-config"
    "file:/usr/include/gfal2/gfal_api.h          libgfal2-dev"
    "file:/usr/include/json-c/json.h             libjson-c-dev"
    "${FDT_CROSS_NEEDS[@]}"
)

# Additional packages for scripts/release, and to use the repositories that it makes.
readonly FDT_RELEASE_NEEDS=(
    "command:apt-ftparchive                      apt-utils"
    "command:createrepo_c                        createrepo-c"
    "command:dpkg-scanpackages                   dpkg-dev"
    "command:gpg                                 gnupg"
)
readonly FDT_REPOSITORY_NEEDS=(
    "${FDT_RELEASE_NEEDS[@]}"
    "command:mmdebstrap                          mmdebstrap"
)

# Packages for scripts/slurm-cluster and the tests of scripts/slurm.
readonly FDT_SLURM_NEEDS=(
    "file:/usr/sbin/munged                       munge"
    "file:/usr/sbin/slurmctld                    slurmctld"
    "file:/usr/sbin/slurmd                       slurmd"
    "command:sbatch                              slurm-client"
    "command:unshare                             util-linux"
)

# Additional packages for scripts/lab. Most of them are used inside the guests, which see this machine's files.
readonly FDT_LAB_NEEDS=(
    "command:qemu-system-x86_64                  qemu-system-x86"
    "file:/usr/share/doc/busybox-static          busybox-static"
    "command:modprobe                            kmod"
    "command:ip                                  iproute2"
    "command:ethtool                             ethtool"
    "command:setpriv                             util-linux"
    "command:xz                                  xz-utils"
    "command:python3                             python3"
    "file:/usr/lib/x86_64-linux-gnu/libibverbs   ibverbs-providers"
    "command:ibv_devinfo                         ibverbs-utils"
    "command:rping                               rdmacm-utils"
    "command:ib_write_bw                         perftest"
)

# Prints the home of the JDK to use: $FDT_JAVA_HOME, or 17 if installed, even if it is not the default, otherwise the
# newest later JDK.
fdt_java_home() {
    local home release best="" best_release=0
    if [[ -n ${FDT_JAVA_HOME-} ]]; then
        echo "$FDT_JAVA_HOME"
        return
    fi
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

# Whether the command or file of a need exists.
fdt_has() { # probe
    case $1 in
        command:*) command -v "${1#command:}" >/dev/null ;;
        file:*) [[ -e ${1#file:} ]] ;;
    esac
}

# Prints the missing packages for the given needs, one a line.
fdt_missing_packages() { # need…
    local need probe package
    for need; do
        read -r probe package <<<"$need"
        fdt_has "$probe" || echo "$package"
    done
}

# Installs packages. If this is not possible, prints what to do.
fdt_install_packages() { # package…
    if ! command -v apt-get >/dev/null; then
        echo "missing packages (names of Debian): $*; install them, then run this again" >&2
        return 1
    fi
    if ((EUID != 0)); then
        echo "missing packages: $*; run as root: apt-get install $*" >&2
        return 1
    fi
    echo "installing $*" >&2
    DEBIAN_FRONTEND=noninteractive apt-get -qq update >&2
    fdt_without_services env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "$@" >&2
}

# Runs an installation of which only the programs are needed: its services do not start, neither now nor at boot.
fdt_without_services() { # command…
    local policy=/usr/sbin/policy-rc.d before made=false result=0 unit
    before=$(fdt_enabled_units)
    if [[ ! -e $policy ]]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy" && made=true
    fi
    "$@" || result=$?
    ! "$made" || rm -f -- "$policy"
    while read -r unit; do
        [[ -z $unit ]] || systemctl -q disable "$unit" || true
    done < <(comm -13 <(echo "$before") <(fdt_enabled_units))
    return "$result"
}

fdt_enabled_units() {
    command -v systemctl >/dev/null || return 0
    systemctl list-unit-files --state=enabled --no-legend --no-pager 2>/dev/null | awk '{print $1}' | sort
}

# Installs missing packages for a build and for further needs, and exports JAVA_HOME. Does not call apt if nothing is
# missing.
fdt_install() { # need…
    local missing
    mapfile -t missing < <(
        [[ -n $(fdt_java_home) ]] || echo openjdk-17-jdk-headless
        fdt_missing_packages "${FDT_BUILD_NEEDS[@]}" "$@"
    )
    ((${#missing[@]} == 0)) || fdt_install_packages "${missing[@]}" || return 1
    JAVA_HOME=$(fdt_java_home) || {
        echo "no JDK 17 or later found, although all packages are installed" >&2
        return 1
    }
    export JAVA_HOME
}

# Installs missing packages for a list of needs. If this is not possible, prints the reason and returns false.
fdt_install_also() { # need…
    local missing
    mapfile -t missing < <(fdt_missing_packages "$@")
    ((${#missing[@]} == 0)) || fdt_install_packages "${missing[@]}"
}

# Installs packages from PyPI into a directory, unless they are there already.
fdt_install_python() { # list of packages with their checksums, directory
    local wanted=$1 place=$2
    if cmp -s "$wanted" "$place/requirements.txt" && "$place/bin/python3" -c '' 2>/dev/null; then
        return
    fi
    echo "installing $(grep -c == "$wanted") packages from PyPI in $place" >&2
    python3 -m venv --clear "$place" &&
        "$place/bin/pip" -q --disable-pip-version-check install --require-hashes -r "$wanted" >&2 &&
        cp -- "$wanted" "$place/requirements.txt"
}

# Installs packages from npm into a directory, unless they are there already.
fdt_install_node() { # directory with the list of packages and their checksums, directory
    if cmp -s "$1/package-lock.json" "$2/package-lock.json" && [[ -e $2/node_modules/.package-lock.json ]]; then
        return
    fi
    echo "installing $(grep -c '"integrity"' "$1/package-lock.json") packages from npm in $2" >&2
    mkdir -p "$2" && cp -- "$1"/package*.json "$2" && npm --prefix "$2" ci --ignore-scripts --no-audit --no-fund >&2
}

# Installs missing packages for scripts/lab. If this is not possible, the lab prints the reason and its tests are
# skipped.
fdt_install_lab() {
    local missing
    mapfile -t missing < <(fdt_missing_packages "${FDT_LAB_NEEDS[@]}")
    ((${#missing[@]} == 0)) || fdt_install_packages "${missing[@]}"
}

# What programs for aarch64 need in order to run here, under emulation.
readonly FDT_AARCH64_LIBRARIES=(libc6 libgcc-s1 libstdc++6 zlib1g)

# Runs apt-get with the sources of this host, but without its packages, lists and architecture.
fdt_apt() { # Debian's name of the machine, directory of its lists, argument of apt-get…
    mkdir -p "$2"/{lists,archives}/partial
    : >"$2/status"
    cat >"$2/apt.conf" <<EOF
APT::Architecture "$1";
APT::Architectures { "$1"; };
APT::Sandbox::User "";
Dir::State "$2";
Dir::State::status "$2/status";
Dir::Cache "$2";
EOF
    APT_CONFIG=$2/apt.conf apt-get -qq "${@:3}"
}

# Unpacks Debian's packages for aarch64 into a directory, and writes their names and SHA-256 to its file "unpacked".
# Returns false if apt does not have them.
fdt_aarch64_unpack() { # directory, package…
    local work=$1/apt package result=0
    mkdir -p "$work/packages"
    fdt_apt arm64 "$work" update >&2 &&
        (cd "$work/packages" && fdt_apt arm64 "$work" download "${@:2}" >&2) || result=$?
    if ((result == 0)); then
        for package in "$work"/packages/*.deb; do dpkg -x "$package" "$1" || return; done
        (cd "$work/packages" && sha256sum -- *.deb) >"$1/unpacked"
    fi
    rm -r -- "$work"
    return "$result"
}
