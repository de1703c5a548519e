# shellcheck shell=bash
# Installs the files of fdt below a prefix. Sourced by scripts that define fdt() and $JAVA_HOME.

# Generates the manual pages and completions with fdt itself.
fdt_make_pages() { # directory
    local shell
    mkdir -p "$1/man1" "$1/completions"
    fdt help --man-to "$1/man1"
    for shell in bash zsh fish; do
        fdt completion "$shell" >"$1/completions/$shell"
    done
}

# Adds the native library of each machine that the jar does not have, with a cross-compiler. Entries get the time of
# SOURCE_DATE_EPOCH.
fdt_add_libraries() { # jar
    local jar work machine
    jar=$(realpath -- "$1") work=$(mktemp -d)
    for machine in x86_64 aarch64; do
        if ! "$JAVA_HOME/bin/jar" --list --file "$jar" | grep -qx "io/fdt/core/nativecode/$machine/libfdt.so"; then
            fdt-core/src/main/native/build "$work" "$JAVA_HOME" "$machine"
            "$JAVA_HOME/bin/jar" --update --file "$jar" --date "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" \
                -C "$work" "io/fdt/core/nativecode/$machine/libfdt.so"
        fi
    done
    rm -rf -- "$work"
}

# Unpacks the native libraries of a jar into a directory for each machine that it has libraries for.
fdt_unpack_libraries() { # jar, directory
    local jar work machine
    jar=$(realpath -- "$1") work=$(mktemp -d)
    (cd "$work" && "$JAVA_HOME/bin/jar" --extract --file "$jar" io/fdt/core/nativecode META-INF/native)
    for machine in x86_64 aarch64; do
        [[ -e $work/io/fdt/core/nativecode/$machine/libfdt.so ]] || continue
        install -D -m 644 -t "$2/$machine" "$work/io/fdt/core/nativecode/$machine/libfdt.so" \
            "$work"/META-INF/native/*_"${machine/aarch64/aarch_64}".so
    done
    rm -rf -- "$work"
}

# Installs the launcher, the jar with its native libraries, manual pages and completions.
fdt_prefix() { # prefix, directory of the jar, jar, directory of fdt_make_pages
    local launcher=scripts/package-src
    mkdir -p "$1"/{bin,share/man/man1,share/bash-completion/completions,share/zsh/site-functions} \
        "$1/share/fish/vendor_completions.d" "$2"
    install -m 755 "$launcher/fdt" "$1/bin/fdt"
    install -m 644 "$3" "$2/fdt.jar"
    fdt_unpack_libraries "$3" "$2/native"
    install -m 755 fdt-cli/src/main/resources/io/fdt/cli/archive-classes "$2/archive-classes"
    install -m 644 "$4"/man1/* "$1/share/man/man1"
    install -m 644 "$4/completions/bash" "$1/share/bash-completion/completions/fdt"
    install -m 644 "$4/completions/zsh" "$1/share/zsh/site-functions/_fdt"
    install -m 644 "$4/completions/fish" "$1/share/fish/vendor_completions.d/fdt.fish"
}
