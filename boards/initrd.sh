#!/bin/sh
# Makes kernel and initrd.gz in FOLDER from the unpacked packages in ROOT.
#
#     usage: boards/initrd.sh ROOT FOLDER
#
# The initrd loads the modules that find the disk and the network, and starts the disk's own init.
set -eu
root=$1
cd "$2"
modules="virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci virtio_blk failover net_failover virtio_net"
modules="$modules crc16 crc32c_generic mbcache jbd2 ext4"
mkdir -p initrd.new/lib initrd.new/new initrd.new/dev
cp "$root/bin/busybox" busybox.new
cp busybox.new initrd.new/busybox
for module in $modules; do
    find "$root/lib/modules/" -name "$module.ko" -exec cp {} initrd.new/lib/ \;
    [ -e "initrd.new/lib/$module.ko" ]
done
cat >initrd.new/init <<END
#!/busybox sh
/busybox mount -t devtmpfs dev /dev
for module in $modules; do /busybox insmod /lib/\$module.ko; done
/busybox mount -t ext4 /dev/vda /new
/busybox mount --move /dev /new/dev
exec /busybox switch_root /new /sbin/init
END
chmod +x initrd.new/init
(cd initrd.new && find . | cpio --quiet -o -H newc | gzip) >initrd.gz.new
cp "$root"/boot/vmlinuz-* kernel.new
mv busybox.new busybox && mv initrd.gz.new initrd.gz && mv kernel.new kernel
rm -rf initrd.new
