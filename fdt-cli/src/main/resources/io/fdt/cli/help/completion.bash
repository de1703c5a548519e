# Completion of fdt for bash: fdt completion bash.

# Sets what there is behind a command: options, words and commands for its first operand, paths,
# and the word behind which a key is named.
_fdt_command() {
    options='' operands='' commands='' paths='' keys=''
    case $1 in
        '')
            options='--help -h --version -V'
            operands='@NAMES@ @HELP@'
            commands=$operands
            ;;
@COMMANDS@
        @HELP@)
            options='@MAN@ @MAN_TO@'
            operands='@NAMES@'
            ;;
    esac
}

# Sets what the value of a command's option is; false where it takes none.
_fdt_value() { # command, option
    kind='' words=''
    case $1:$2 in
@VALUES@
        @HELP@:@MAN_TO@) kind=directories ;;
        *) return 1 ;;
    esac
}

# Puts the words up to the cursor into typed. Readline breaks words at = and : as well; a part that no blank stands
# before is put back to where it was.
_fdt_words() {
    local rest=${COMP_LINE-} part gap i
    typed=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        part=${COMP_WORDS[i]}
        gap=' '
        if [[ -n ${COMP_LINE-} && -n $part ]]; then
            gap=${rest%%"$part"*}
            rest=${rest#*"$part"}
        elif [[ -n ${COMP_LINE-} && ${COMP_LINE:COMP_POINT-1:1} != [[:blank:]] ]]; then
            gap=''
        fi
        if ((i > 1)) && [[ -z $gap ]]; then
            typed[${#typed[@]} - 1]+=$part
        else
            typed+=("$part")
        fi
    done
}

# Offers paths; for what is quoted or starts with a tilde readline does it itself.
_fdt_paths() { # -f or -d, what is typed
    local path
    compopt -o filenames -o default 2>/dev/null
    while IFS= read -r path; do
        COMPREPLY+=("$path")
    done < <(compgen "$1" -- "$2")
}

_fdt_fitting() { # words, what is typed
    local word
    for word in $1; do
        [[ $word != "$2"* ]] || COMPREPLY+=("$word")
    done
}

# The names of this user's keys.
_fdt_keys() {
    fdt key list 2>/dev/null | awk -F '\t' '$1 == "admits" {print $2}'
}

_fdt_offer() { # what is typed of the value
    case $kind in
        words | attached) _fdt_fitting "$words" "$1" ;;
        files) _fdt_paths -f "$1" ;;
        directories) _fdt_paths -d "$1" ;;
    esac
}

_fdt() {
    local IFS=$' \t\n' typed options operands commands paths keys kind words
    local command='' option='' first='' ended='' count=0 last word i broken
    COMPREPLY=()
    _fdt_words
    last=${typed[${#typed[@]} - 1]}
    _fdt_command ''
    for ((i = 1; i < ${#typed[@]} - 1; i++)); do
        word=${typed[i]}
        if [[ -n $option ]]; then
            option=''
        elif [[ -n $ended || $word != -?* ]]; then
            if ((count == 0)) && [[ " $commands " == *" $word "* ]]; then
                command=${command:+$command }$word
                _fdt_command "$command"
            else
                ((count > 0)) || first=$word
                ((count += 1))
            fi
        elif [[ $word == -- ]]; then
            ended=yes
        elif _fdt_value "$command" "$word" && [[ $kind != attached ]]; then
            option=$word
        fi
    done
    if [[ -n $option ]]; then
        _fdt_value "$command" "$option" && _fdt_offer "$last"
    elif [[ -z $ended && $last == --*=* ]]; then
        _fdt_value "$command" "${last%%=*}" && _fdt_offer "${last#*=}"
    elif [[ -z $ended && $last == -* ]]; then
        _fdt_fitting "$options" "$last"
    elif [[ -n $keys && $first == "$keys" ]]; then
        ((count > 1)) || _fdt_fitting "$(_fdt_keys)" "$last"
    else
        ((count > 0)) || _fdt_fitting "$operands" "$last"
        [[ -z $paths ]] || ((count == 0 && ${#operands} > 0)) || _fdt_paths -f "$last"
    fi
    # Readline puts in what stands behind the last colon.
    broken=${last%"${last##*:}"}
    if [[ -n $broken && ${COMP_WORDBREAKS-} == *:* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"$broken"}")
    fi
    return 0
}

complete -F _fdt fdt
