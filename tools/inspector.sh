#!/bin/sh
# Opens the MCP Inspector with a new `deskhand mcp serve`. The log of the server appears in this terminal.
#
#   tools/inspector.sh                              in a web browser
#   tools/inspector.sh --cli --method tools/list    in this terminal; see `--cli --help`
#
# The Inspector is the version that `cargo xtask setup --group interop` installs, otherwise the latest one.
#   DESKHAND          path of the binary (default: the one on PATH)
#   INTEROP           folder of the installed Inspector (default: target/interop)
#   DESKHAND_…        settings of the server, for example DESKHAND_TOOLSETS=cli
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
interop=${INTEROP:-$root/target/interop}
launcher=$interop/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js

mode=--web
case ${1-} in
--web | --cli | --tui)
    mode=$1
    shift
    ;;
esac

# The Inspector starts servers without the variables of the desktop.
settings=$(env | sed -n 's/^\(DESKHAND_[A-Z_]*\)=.*/\1/p')
for name in HOME DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR $settings; do
    eval "value=\${$name-}"
    if [ -n "$value" ]; then
        set -- -e "$name=$value" "$@"
    fi
done
set -- "$mode" "$@" -- "${DESKHAND:-deskhand}" mcp serve --log-to-stderr

if [ -f "$launcher" ]; then
    exec "$interop/node" "$launcher" "$@"
fi
exec npx --yes @modelcontextprotocol/inspector "$@"
