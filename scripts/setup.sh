#!/bin/sh
# Installs kubegap from this checkout into .venv, with one dependency group of pyproject.toml if one is named.
#
#   sh scripts/setup.sh [GROUP]          does it; says nothing when everything is already in place
#   sh scripts/setup.sh --plan [GROUP]   only prints what it would do
#
# Exit 0: .venv is complete. 1: an installer failed, its last lines were printed. 2: this machine lacks something,
# one sentence says what. Plain POSIX sh, run by dash and by macOS's sh; nothing outside the checkout is written but
# the installers' own caches. All notes about .venv stand in .venv, so removing that folder starts afresh.
set -eu

# What the user has set for other projects must not steer this one; where packages come from (index, proxy,
# certificates) stays as configured. Every setting that would move an installation elsewhere goes.
unset CDPATH PYTHONHOME PYTHONPATH PYTHONSAFEPATH PYTHONSTARTUP PYTHONUSERBASE PYTHONWARNINGS __PYVENV_LAUNCHER__
unset PIP_DRY_RUN PIP_NO_DEPS PIP_PREFIX PIP_PYTHON PIP_REQUIRE_HASHES PIP_REQUIRE_VIRTUALENV PIP_ROOT PIP_TARGET PIP_USER
unset UV_PROJECT UV_PYTHON UV_SYSTEM_PYTHON UV_VENV_CLEAR UV_WORKING_DIR
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_PROGRESS_BAR=off UV_NO_PROGRESS=1

oldest_minor=11 # of Python 3, as requires-python in pyproject.toml says

say() {
    printf 'kubegap: %s\n' "$*" >&2
}

lacking() {
    say "$@"
    exit 2
}

plan=no
if [ "${1:-}" = --plan ]; then
    plan=yes
    shift
fi
group=${1:-}
case $#$group in
    0 | 1[!-]*) ;;
    *) lacking 'usage: sh scripts/setup.sh [--plan] [GROUP]' ;;
esac
case $group in
    *[!A-Za-z0-9._-]*) lacking "a dependency group cannot be called '$group'" ;;
esac

root=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$root"
venv=$root/.venv
[ ! -d "$venv" ] || venv=$(cd "$venv" && pwd -P)
notes=$venv/kubegap-setup
lock=$notes/lock
log=$notes/log

# Three lines: a number that grows with the version, the version, whether kubegap can run on it, what it brings;
# the interpreter itself (behind a shim or a link); its prefix. A folder without code is no module: origin says so.
probe='
import os, sys, sysconfig
from importlib.util import find_spec
v = sys.version_info
kind = sys.implementation.name if v.releaselevel == "final" else v.releaselevel
fits = v[:2] >= (3, int(sys.argv[1])) and kind == "cpython"
name = "%d.%d.%d" % v[:3] + ("" if kind == "cpython" else "-" + kind)
means = [m for m in ("venv", "ensurepip", "pip") if getattr(find_spec(m), "origin", None)]
means += ["site"] if os.path.isdir(sysconfig.get_path("purelib")) else []
print(v[0] * 1000000 + v[1] * 1000 + v[2], name, "fits" if fits else "unfit", ",".join(means) + ",")
print(sys.executable)
print(os.path.realpath(sys.prefix))
'

# Runs the interpreter $1 and sets rank, version, fit, means, executable, prefix. That a file has the right name says
# nothing: a version manager's shim may stand for a Python that is not there.
ask() {
    answer=$("$1" -I -c "$probe" "$oldest_minor" 2>/dev/null </dev/null) || return 1
    { read -r rank version fit means && IFS= read -r executable && IFS= read -r prefix; } <<EOT || return 1
$answer
EOT
    case $rank in '' | *[!0-9]*) return 1 ;; esac
}

brings() {
    case ,$means in *",$1,"*) return 0 ;; esac
    return 1
}

# Sets uv to the first uv on PATH that runs and knows dependency groups, or to nothing.
find_uv() {
    uv=
    set -f
    IFS=:
    for folder in $PATH; do
        unset IFS
        set +f
        case $folder in /*) ;; *) continue ;; esac
        if [ -x "$folder/uv" ] && "$folder/uv" pip install --help 2>/dev/null </dev/null | grep -q -e --group; then
            uv=$folder/uv
            return
        fi
    done
    unset IFS
    set +f
}

# Sets maker to the newest interpreter on PATH that can make an environment, with maker_version and maker_means; ends with
# the sentence that names what is missing if there is none.
maker=
find_maker() {
    [ -z "$maker" ] || return 0
    best=0
    helpless= # fits, but could not make an environment
    helpless_rank=0
    unfit=
    unfit_rank=0
    set -f
    IFS=:
    for folder in $PATH; do
        unset IFS
        set +f
        case $folder in /*) ;; *) continue ;; esac
        for candidate in "$folder"/python3.[0-9] "$folder"/python3.[0-9][0-9] "$folder"/python3 "$folder"/python; do
            if ! [ -f "$candidate" ] || ! [ -x "$candidate" ] || ! ask "$candidate"; then continue; fi
            [ "$prefix" != "$venv" ] || continue # this very .venv, active, cannot make itself anew
            if [ "$fit" = unfit ]; then
                [ "$rank" -le "$unfit_rank" ] || { unfit_rank=$rank unfit="$version, $candidate"; }
            elif [ -n "$uv" ] || { brings venv && { brings ensurepip || brings pip; }; }; then
                [ "$rank" -le "$best" ] || { best=$rank maker=$executable maker_version=$version maker_means=$means; }
            elif [ "$rank" -gt "$helpless_rank" ]; then
                helpless_rank=$rank helpless="Python $version ($executable)" helpless_package=python${version%.*}-venv
            fi
        done
    done
    unset IFS
    set +f
    [ -z "$maker" ] || return 0
    [ -z "$helpless" ] || lacking "$helpless can make no virtual environment: install python3-venv" \
        "(Debian, Ubuntu; $helpless_package if that is not the default Python) or uv, then run this again"
    lacking "CPython 3.$oldest_minor or newer is needed, and PATH has none${unfit:+ (the newest there is $unfit)}: install" \
        'python3 and python3-venv (Debian, Ubuntu) or python (Homebrew), then run this again'
}

place() {
    cat "$notes/place" 2>/dev/null ||
        sed -n 's/.*VIRTUAL_ENV=//p' "$venv/bin/activate" 2>/dev/null | tr -d "\"'"
}

# Sets anew to the reason why .venv cannot be kept, or to nothing. An environment holds absolute paths, so one that was
# moved or copied is of no use; one that somebody else made here is kept if it works.
look() {
    anew=
    if [ ! -e "$venv/pyvenv.cfg" ]; then
        anew='it is not there yet'
    elif [ -e "$notes/unfinished" ]; then
        anew='its set-up was cut off'
    elif ! place | grep -F -x -q "$venv"; then
        anew='it was made in another place'
    elif ! ask "$venv/bin/python" || ! brings site || [ "$prefix" != "$venv" ]; then
        anew='its Python is gone or is another one now'
    elif [ "$fit" = unfit ]; then
        anew="its Python is $version"
    else
        python_version=$version
        python=$venv/bin/python
        [ -n "$uv" ] || brings pip || anew='it has no pip, and uv is not on PATH'
    fi
}

how_to_make() {
    means=$maker_means
    how="venv without pip, filled by the system's pip"
    if [ -n "$uv" ]; then how=$uv; elif brings ensurepip; then how=venv; fi
}

# What an installation was made from: Python's version and the two files that the package's metadata come from.
stamp() {
    printf 'python %s\n' "$python_version"
    cat pyproject.toml kubegap_mcp/__init__.py
}

is_installed() {
    stamp 2>/dev/null | cmp -s - "$notes/installed-${group:-runtime}"
}

run() {
    printf '+ %s\n' "$*" >>"$log"
    "$@" >>"$log" 2>&1 </dev/null
}

failed() {
    tail -n 15 "$log" >&2
    say "$1 failed; the whole log is .venv/kubegap-setup/log"
    exit 1
}

# One set-up at a time. The lock is a link that points to its owner's process number, so that it is made in one step
# together with the number; a lock whose owner is gone is taken down by one process only (breaking).
take_lock() {
    patience=${KUBEGAP_SETUP_WAIT:-600} # seconds
    told=no
    { mkdir -p "$notes" && [ -w "$notes" ]; } 2>/dev/null || lacking "cannot write to $venv"
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    until ln -s "$$" "$lock" 2>/dev/null; do
        owner=$(readlink "$lock" 2>/dev/null) || owner=none # just released
        if ! kill -0 "$owner" 2>/dev/null && mkdir "$notes/breaking" 2>/dev/null; then
            [ "$(readlink "$lock" 2>/dev/null)" != "$owner" ] || rm -f "$lock"
            rmdir "$notes/breaking"
            continue
        fi
        [ "$told" = yes ] || say "waiting for another set-up of this checkout (process $owner)"
        told=yes
        [ "$patience" -gt 0 ] || lacking "another set-up (process $owner) holds .venv:" \
            'run this again when it has ended, or remove .venv if there is none'
        patience=$((patience - 1))
        sleep 1
    done
    trap 'rm -f "$lock"' EXIT
    : >"$log"
}

wipe() {
    for entry in "$venv"/* "$venv"/.[!.]*; do
        case $entry in "$notes" | "$venv/*" | "$venv/.[!.]*") ;; *) rm -rf "$entry" ;; esac
    done
    rm -f "$notes"/installed-*
}

# The same settings may stand in the user's pip.conf. The environment's own pip.conf has the last word on each, and an
# empty value means pip's default.
calm_pip() {
    [ -e "$venv/pip.conf" ] || for section in global install; do
        printf '[%s]\ndry-run =\nno-deps =\nprefix =\nrequire-hashes =\nroot =\ntarget =\nuser =\n' $section
    done >"$venv/pip.conf"
}

make_venv() {
    say "making .venv with Python $maker_version ($maker)"
    : >"$notes/unfinished"
    wipe
    printf '%s\n' "$venv" >"$notes/place"
    how_to_make
    if [ -n "$uv" ]; then
        run "$uv" venv --no-project --allow-existing --python "$maker" "$venv" || failed "$uv venv"
    elif [ "$how" != venv ] || ! run "$maker" -m venv "$venv"; then
        means=$maker_means
        brings pip || failed "$maker -m venv"
        wipe
        run "$maker" -m venv --without-pip "$venv" || failed "$maker -m venv"
        calm_pip
        run "$maker" -m pip --python "$venv/bin/python" install 'pip>=25.1' || failed "$maker -m pip"
    fi
    rm -f "$notes/unfinished"
    look
    [ -z "$anew" ] || failed "making .venv ($anew)"
}

install() {
    say "installing kubegap${group:+ and its $group tools} into .venv"
    : >"$notes/unfinished" # stays if this process is killed, so that the next one starts afresh
    stamp >"$notes/stamp"
    broken=
    if [ -n "$uv" ]; then
        run "$uv" pip install --python "$venv/bin/python" -e . ${group:+--group "$group"} || broken="$uv pip install"
    else
        calm_pip
        set -- "$venv/bin/python" -m pip
        # pip knows dependency groups since 25.1; a Python often brings an older one
        if [ -n "$group" ] && ! "$@" install --help 2>/dev/null </dev/null | grep -q -e --group; then
            run "$@" install --upgrade 'pip>=25.1' || broken='pip install'
        fi
        [ -n "$broken" ] || run "$@" install -e . ${group:+--group "$group"} || broken='pip install'
    fi
    rm -f "$notes/unfinished"
    [ -z "$broken" ] || failed "$broken"
    cp "$notes/stamp" "$notes/installed-runtime"
    [ -z "$group" ] || cp "$notes/stamp" "$notes/installed-$group"
}

uv=unasked # which only matters once something has to be done
look
if [ -z "$anew" ] && is_installed; then
    [ "$plan" = no ] || printf '%s\n' "python       $python_version ($python)" 'environment  .venv, kept' 'install      nothing'
    exit 0
fi
find_uv
look
[ -z "$anew" ] || find_maker

if [ "$plan" = yes ]; then
    if [ -n "$anew" ]; then
        how_to_make
        printf 'python       %s (%s)\nenvironment  .venv, made with %s: %s\n' "$maker_version" "$maker" "$how" "$anew"
    else
        printf 'python       %s (%s)\nenvironment  .venv, kept\n' "$python_version" "$python"
    fi
    printf 'install      kubegap%s, with %s\n' "${group:+ and the dependency group $group}" "${uv:-pip}"
    exit 0
fi

take_lock
look # another process may have done it while this one waited
if [ -n "$anew" ] || ! is_installed; then
    if [ -n "$anew" ]; then
        find_maker
        make_venv
    fi
    install
fi
