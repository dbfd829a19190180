#!/bin/sh
# Builds a universal deskhand for Apple silicon and Intel, and an app that contains it. Needs a Mac with Xcode's
# command-line tools and a Rust toolchain from rustup:
#
#     packaging/macos/build-universal.sh [OUT]
#
# Writes `deskhand`, `Deskhand.app` and `deskhand-VERSION-macos.tar.gz` to OUT (default: dist/macos).
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
out=${1:-$root/dist/macos}
case "$out" in /*) ;; *) out=$PWD/$out ;; esac
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
# ScreenCaptureKit is available since 12.3. Newer interfaces are looked up at run time.
MACOSX_DEPLOYMENT_TARGET=${MACOSX_DEPLOYMENT_TARGET:-12.3}
export MACOSX_DEPLOYMENT_TARGET
[ -n "$version" ] || { echo "no version in $root/Cargo.toml" >&2; exit 1; }

mkdir -p "$out"
plist=$out/Info.plist
sed -e "s/@VERSION@/$version/g" -e "s/@MINIMUM@/$MACOSX_DEPLOYMENT_TARGET/g" "$here/Info.plist" > "$plist"
plutil -lint "$plist" "$here/entitlements.plist" "$here/org.deskhand.agent.plist"

# An executable outside of an app needs its Info.plist embedded: the system reads the program's name and its reason
# for Apple events from there. `cargo rustc` passes the linker argument only to this program.
for target in aarch64-apple-darwin x86_64-apple-darwin; do
    rustup target add "$target"
    (cd "$root" && cargo rustc --release --locked --package deskhand-cli --bin deskhand --target "$target" -- \
        -C "link-arg=-Wl,-sectcreate,__TEXT,__info_plist,$plist")
done

lipo -create -output "$out/deskhand" \
    "$root/target/aarch64-apple-darwin/release/deskhand" \
    "$root/target/x86_64-apple-darwin/release/deskhand"
lipo "$out/deskhand" -verify_arch arm64 x86_64

# The app has a name that users find in System Settings, and its permissions survive an update.
app=$out/Deskhand.app
rm -rf "$app"
mkdir -p "$app/Contents/MacOS"
cp "$plist" "$app/Contents/Info.plist"
cp "$out/deskhand" "$app/Contents/MacOS/deskhand"

# Without an identity the signature is valid for this build only, and the next build needs new permissions.
identity=${DESKHAND_SIGN_IDENTITY:--}
set -- --force --options runtime --entitlements "$here/entitlements.plist" --sign "$identity"
[ "$identity" = - ] || set -- "$@" --timestamp
codesign "$@" --identifier org.deskhand.deskhand "$out/deskhand"
codesign "$@" "$app"
codesign --verify --strict --verbose=2 "$out/deskhand" "$app"

tar -czf "$out/deskhand-$version-macos.tar.gz" -C "$out" deskhand -C "$root" LICENSE-MIT LICENSE-APACHE README.md
shasum -a 256 "$out/deskhand-$version-macos.tar.gz"
