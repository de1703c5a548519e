#compdef fdt
# Completion of fdt for zsh: fdt completion zsh. As a file named _fdt in a directory of $fpath, or sourced.

# Offers the names of this user's keys.
_fdt_keys() {
    local -a names
    names=(${(f)"$(fdt key list 2>/dev/null | awk -F '\t' '$1 == "admits" {print $2}')"})
    compadd -a names
}
@COMMANDS@

_fdt() {
    local curcontext=$curcontext state line ret=1
    typeset -A opt_args
    local -a commands
    commands=(
@SUMMARIES@
    )
    _arguments -C \
        '(- : *)'{-h,--help}'[list the commands]' \
        '(- : *)'{-V,--version}'[print the version]' \
        '1: :->command' \
        '*:: :->arguments' && ret=0
    case $state in
        command) _describe -t commands 'command' commands && ret=0 ;;
        arguments)
            case $words[1] in
@CASES@
                @HELP@) _fdt_@HELP@ && ret=0 ;;
            esac
            ;;
    esac
    return ret
}

if [[ ${funcstack[1]-} == _fdt ]]; then
    _fdt "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef _fdt fdt
fi
