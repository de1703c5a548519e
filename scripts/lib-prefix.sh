# shellcheck shell=bash
# Installs the files of fdt below a prefix. Sourced by scripts/package and scripts/install, which define fdt() and
# $JAVA_HOME.

# Generates the manual pages and completions with fdt itself.
fdt_make_pages() { # directory
    local shell
    mkdir -p "$1/man1" "$1/completions"
    fdt help --man-to "$1/man1"
    for shell in bash zsh fish; do
        fdt completion "$shell" >"$1/completions/$shell"
    done
}

# Installs the launcher, the jar, manual pages and completions.
fdt_prefix() { # prefix, directory of the jar, jar, directory of fdt_make_pages
    local launcher=scripts/package-src
    mkdir -p "$1"/{bin,share/man/man1,share/bash-completion/completions,share/zsh/vendor-completions} \
        "$1/share/fish/vendor_completions.d" "$2"
    install -m 755 "$launcher/fdt" "$1/bin/fdt"
    install -m 644 "$3" "$2/fdt.jar"
    install -m 755 "$launcher/archive-classes" "$2/archive-classes"
    install -m 644 "$4"/man1/* "$1/share/man/man1"
    install -m 644 "$4/completions/bash" "$1/share/bash-completion/completions/fdt"
    install -m 644 "$4/completions/zsh" "$1/share/zsh/vendor-completions/_fdt"
    install -m 644 "$4/completions/fish" "$1/share/fish/vendor_completions.d/fdt.fish"
}
