#!/bin/sh
# Builds one deskhand for Apple silicon and Intel, and an app around it. Runs on a Mac with Xcode's command-line
# tools and a Rust toolchain from rustup:
#
#     packaging/macos/build-universal.sh [OUT]
#
# OUT (dist/macos when absent) gets `deskhand`, `Deskhand.app` and `deskhand-VERSION-macos.tar.gz`.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
out=${1:-$root/dist/macos}
case "$out" in /*) ;; *) out=$PWD/$out ;; esac
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
# ScreenCaptureKit came with 12.3; what is newer is asked for at run time.
MACOSX_DEPLOYMENT_TARGET=${MACOSX_DEPLOYMENT_TARGET:-12.3}
export MACOSX_DEPLOYMENT_TARGET
[ -n "$version" ] || { echo "no version in $root/Cargo.toml" >&2; exit 1; }

mkdir -p "$out"
plist=$out/Info.plist
sed -e "s/@VERSION@/$version/g" -e "s/@MINIMUM@/$MACOSX_DEPLOYMENT_TARGET/g" "$here/Info.plist" > "$plist"
plutil -lint "$plist" "$here/entitlements.plist" "$here/org.deskhand.agent.plist"

# A bare program has its Info.plist inside itself: that is where the system finds what it is called and why it
# asks. `cargo rustc` hands the words to the linker of this program alone.
for target in aarch64-apple-darwin x86_64-apple-darwin; do
    rustup target add "$target"
    (cd "$root" && cargo rustc --release --locked --package deskhand-cli --bin deskhand --target "$target" -- \
        -C "link-arg=-Wl,-sectcreate,__TEXT,__info_plist,$plist")
done

lipo -create -output "$out/deskhand" \
    "$root/target/aarch64-apple-darwin/release/deskhand" \
    "$root/target/x86_64-apple-darwin/release/deskhand"
lipo "$out/deskhand" -verify_arch arm64 x86_64

# The app: people find it in System Settings by its name, and leave given to it survives an update.
app=$out/Deskhand.app
rm -rf "$app"
mkdir -p "$app/Contents/MacOS"
cp "$plist" "$app/Contents/Info.plist"
cp "$out/deskhand" "$app/Contents/MacOS/deskhand"

# Without an identity the signature is one for this very build: the system forgets what was allowed at the next.
identity=${DESKHAND_SIGN_IDENTITY:--}
set -- --force --options runtime --entitlements "$here/entitlements.plist" --sign "$identity"
[ "$identity" = - ] || set -- "$@" --timestamp
codesign "$@" --identifier org.deskhand.deskhand "$out/deskhand"
codesign "$@" "$app"
codesign --verify --strict --verbose=2 "$out/deskhand" "$app"

tar -czf "$out/deskhand-$version-macos.tar.gz" -C "$out" deskhand -C "$root" LICENSE-MIT LICENSE-APACHE README.md
shasum -a 256 "$out/deskhand-$version-macos.tar.gz"
