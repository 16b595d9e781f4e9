#!/bin/sh
# unpack.sh FROM FOLDER: puts the source of OpenSSL 3.1.1 into a folder.  FROM is such a folder, or an archive; which
# archive, and which folder in it, archives.txt knows by the SHA-256.
set -eu
from=$1 folder=$2
if [ ! -e "$from" ]; then
    echo "$from: there is no such file or folder" >&2
    exit 2
fi
if [ -d "$from" ]; then
    release=$(head -n 3 "$from/VERSION.dat" 2>/dev/null | tr '\n' ' ')
    [ "$release" = 'MAJOR=3 MINOR=1 PATCH=1 ' ] || { echo "$from: not OpenSSL 3.1.1, by its VERSION.dat" >&2; exit 2; }
    if [ -e "$from/configdata.pm" ]; then
        echo "$from: OpenSSL was built in it; 'make distclean' in it removes that" >&2
        exit 2
    fi
    cp -a "$from/." "$folder"
else
    sum=$(sha256sum "$from" 2>/dev/null) || sum=none
    inside=$(sed -n "s/^${sum%% *}  //p" "$(dirname "$0")/archives.txt")
    if [ -z "$inside" ]; then
        echo "$from: not an archive of OpenSSL 3.1.1 that archives.txt names, by its SHA-256" >&2
        exit 2
    fi
    tar -xzf "$from" --no-same-owner -C "$folder" "$inside"
    mv "$folder/$inside"/* "$folder"
    rm -rf "${folder:?}/${inside%%/*}"
fi
