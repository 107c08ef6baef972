#!/usr/bin/env bash
# Proves that the last commit is complete: .ci/run in a fresh clone, without what is only in this working tree.
set -euo pipefail
repository=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git clone --quiet --no-hardlinks "$repository" "$clone/indoubt"
"$clone/indoubt/.ci/run"
