#!/bin/sh
# Starts `deskhand mcp serve` at every login of the current user:
#
#     packaging/macos/install-agent.sh [PROGRAM]     # default: deskhand from PATH
#     packaging/macos/install-agent.sh --remove
set -eu

label=org.deskhand.agent
file=$HOME/Library/LaunchAgents/$label.plist
domain=gui/$(id -u)

if [ "${1:-}" = --remove ]; then
    launchctl bootout "$domain/$label" 2>/dev/null || echo "$label was not running"
    rm -f "$file"
    exit 0
fi

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
program=${1:-$(command -v deskhand)} || { echo "deskhand is not in PATH" >&2; exit 1; }
[ -x "$program" ] || { echo "$program is not executable" >&2; exit 1; }
program=$(CDPATH='' cd -- "$(dirname -- "$program")" && pwd)/$(basename -- "$program")
# A property list is XML, and `|` is the delimiter of the sed commands below.
case "$program$HOME" in
    *[\&\<\>\|\\]*) echo "a path with one of & < > | \\ cannot be written to $file" >&2; exit 1 ;;
esac
mkdir -p "$HOME/Library/LaunchAgents" "$HOME/Library/Caches/deskhand"
chmod 700 "$HOME/Library/Caches/deskhand"
sed -e "s|@PROGRAM@|$program|g" -e "s|@HOME@|$HOME|g" "$here/$label.plist" > "$file"
plutil -lint "$file"
if launchctl bootout "$domain/$label" 2>/dev/null; then
    # `bootout` returns before the agent has ended, and a new one cannot start until then.
    tries=0
    while launchctl print "$domain/$label" >/dev/null 2>&1 && [ "$tries" -lt 30 ]; do
        tries=$((tries + 1))
        sleep 1
    done
fi
launchctl bootstrap "$domain" "$file"
launchctl print "$domain/$label" | grep -E 'state|pid'
