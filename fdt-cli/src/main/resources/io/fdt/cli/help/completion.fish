# Completion of fdt for fish: fdt completion fish.

# Whether the words behind fdt begin with these.
function __fdt_is
    set -l words (commandline -opc)
    set -e words[1]
    for word in $argv
        test "$words[1]" = "$word"; or return 1
        set -e words[1]
    end
end

# The same, and nothing but options stands behind them.
function __fdt_is_just
    __fdt_is $argv; or return 1
    set -l words (commandline -opc)
    for word in $words[(math 2 + (count $argv))..-1]
        string match -q -- '-*' $word; or return 1
    end
end

complete -c fdt -e
@COMMANDS@
