#!/bin/sh
# Installs fdt from the directory of a release: as root the package of this system, or else the archive below PREFIX.
#
#   sh install.sh              as root the Debian package or the RPM, or /usr/local; as another user ~/.local
#   sh install.sh PREFIX       the archive below PREFIX, whoever runs it
set -eu
umask 022

prefix=${1-}
case $prefix in
    '' | /*) ;;
    *) prefix=$PWD/$prefix ;;
esac
cd -- "$(dirname -- "$0")"
fail() {
    echo "install.sh: $1" >&2
    exit 1
}
# Prints the only file with this form.
only() { # pattern
    # shellcheck disable=SC2086 # A pattern.
    set -- $1
    [ $# = 1 ] && [ -e "$1" ] && echo "$1"
}
check() { # file
    grep -F -- "  $1" SHA256SUMS | grep -x -- "[0-9a-f]*  $1" | sha256sum -c --quiet - ||
        fail "$1 is not what SHA256SUMS says; download it again"
}

if [ -z "$prefix" ] && [ "$(id -u)" = 0 ]; then
    if command -v apt-get >/dev/null && package=$(only 'fdt_*_all.deb'); then
        check "$package"
        exec apt-get install -y "./$package"
    fi
    for tool in dnf zypper yum; do
        if command -v $tool >/dev/null && package=$(only 'fdt-*.noarch.rpm'); then
            check "$package"
            exec $tool install -y "./$package"
        fi
    done
    prefix=/usr/local
fi
prefix=${prefix:-$HOME/.local}

# With its own Java where the release has one for this machine.
archive=$(only "fdt-*-linux-$(uname -m).tar.gz") || {
    archive=
    for file in fdt-*.tar.gz; do
        case $file in
            *-linux-* | *-maven-* | *'*'*) ;;
            *) archive=$file ;;
        esac
    done
    [ -n "$archive" ] || fail "there is no archive of fdt in $PWD"
}
check "$archive"
name=${archive%.tar.gz}
mkdir -p "$prefix/lib" "$prefix/bin"
rm -rf -- "$prefix/lib/$name.new"
mkdir "$prefix/lib/$name.new"
tar -xzf "$archive" -C "$prefix/lib/$name.new" --strip-components 1
rm -rf -- "${prefix:?}/lib/$name"
mv -- "$prefix/lib/$name.new" "$prefix/lib/$name"
if [ -e "$prefix/bin/fdt" ] && [ ! -L "$prefix/bin/fdt" ]; then
    fail "$prefix/bin/fdt is a file that this script did not install; remove it, or name another PREFIX"
fi
# Links to the program, its manual pages and its completions, instead of those to an earlier release.
mkdir -p "$prefix/share"
find "$prefix/bin" "$prefix/share" -lname "$prefix/lib/fdt-*" -delete
cp -rsf "$prefix/lib/$name/bin" "$prefix/lib/$name/share" "$prefix"
# Without the archive every start takes half as long again, which is not a reason to fail.
"$prefix/lib/$name/lib/archive-classes" || true
echo "installed $("$prefix/bin/fdt" --version): $prefix/bin/fdt, manual pages, completions for bash, zsh and fish"
case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) echo "$prefix/bin is not in your PATH; add it" ;;
esac
case $prefix:${SHELL-} in
    /usr/local:*) ;;
    *zsh) echo "for zsh, add to ~/.zshrc before compinit: fpath+=($prefix/share/zsh/site-functions)" ;;
esac
echo "undo it with: rm -r '$prefix/lib/$name' && find '$prefix/bin' '$prefix/share' -lname '$prefix/lib/$name/*' -delete"
