#compdef fdt
# Completion of fdt for zsh: fdt completion zsh. As a file named _fdt in a directory of $fpath, or sourced.
@TABLES@

if [[ ${funcstack[1]-} == _fdt ]]; then
    _fdt "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef _fdt fdt
fi
