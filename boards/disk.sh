#!/bin/sh
# Makes disk.unpacked in FOLDER, an ext4 file system, of the unpacked packages in ROOT.
#
#     usage: boards/disk.sh ROOT FOLDER
#
# The packages' own scripts run on the board, at its first start, so that nothing of another architecture runs here:
# dpkg is told that every package is unpacked and none is configured.
set -eu
root=$1 folder=$2 here=$(cd "$(dirname "$0")" && pwd)
info=$root/var/lib/dpkg/info
: >"$root/var/lib/dpkg/status"
for deb in "$root"/var/cache/apt/archives/*.deb; do
    control=$(mktemp -d)
    dpkg-deb -e "$deb" "$control"
    name=$(sed -n 's/^Package: //p' "$control/control")
    if grep -q '^Multi-Arch: same' "$control/control"; then
        name=$name:$(sed -n 's/^Architecture: //p' "$control/control")
    fi
    {
        sed '/^Package:/a Status: install ok unpacked' "$control/control"
        if [ -e "$control/conffiles" ]; then
            echo "Conffiles:"
            sed 's/.*/ & newconffile/' "$control/conffiles"
        fi
        echo
    } >>"$root/var/lib/dpkg/status"
    rm "$control/control"
    for file in "$control"/*; do
        [ ! -e "$file" ] || cp "$file" "$info/$name.${file##*/}"
    done
    dpkg-deb --fsys-tarfile "$deb" | tar -t | sed 's|^\./|/|; s|/$||; s|^$|/.|' >"$info/$name.list"
    rm -rf "$control" "$deb"
done

cp "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd"
cp "$root/usr/share/base-passwd/group.master" "$root/etc/group"
ssh-keygen -q -A -f "$root" # the host keys, which an emulated processor takes minutes for
mkdir -p "$root/etc/board" "$root/proc" "$root/sys" "$root/run"
cp "$folder/key.pub" "$root/etc/board/key.pub"
install -m 755 "$here/start" "$root/etc/board/start"
install -m 755 "$folder/busybox" "$root/etc/board/busybox"
ln -sf /etc/board/busybox "$root/sbin/init"
cp "$here/inittab" "$root/etc/inittab"
echo 'nameserver 10.0.2.3' >"$root/etc/resolv.conf"
echo board >"$root/etc/hostname"
echo '127.0.0.1 localhost board' >"$root/etc/hosts"
mke2fs -q -t ext4 -d "$root" "$folder/disk.new" 3G
mv "$folder/disk.new" "$folder/disk.unpacked"
