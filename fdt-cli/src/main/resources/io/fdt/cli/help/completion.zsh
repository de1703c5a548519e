#compdef fdt
# Completion of fdt for zsh: fdt completion zsh. As a file named _fdt in a directory of $fpath, or sourced.

# Offers the names of this user's keys.
_fdt_keys() {
    local -a names
    names=(${(f)"$(fdt key list 2>/dev/null | awk -F '\t' '$1 == "admits" {print $2}')"})
    compadd -a names
}
@TABLES@

if [[ ${funcstack[1]-} == _fdt ]]; then
    _fdt "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef _fdt fdt
fi
