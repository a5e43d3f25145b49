# shellcheck shell=sh
# Runs a program in a sandbox: as root of a new user namespace, builds a file system in a folder, changes its root to
# it, and drops all privileges. Arguments: the folder, the writable folder, the working folder, the number of readable
# paths, these paths, and the command.
set -eu
root=$1 work=$2 cwd=$3 count=$4
shift 4

mount -t tmpfs -o mode=755,size=64m tmpfs "$root"
mkdir -p "$root/tmp" "$root/proc" "$root/dev" "$root/old"
# Readable paths may be below /tmp.
mount -t tmpfs -o mode=1777,size=1g,nosuid,nodev tmpfs "$root/tmp"

readable() {
    if [ -L "$1" ]; then
        mkdir -p "$root$(dirname "$1")"
        ln -s "$(readlink "$1")" "$root$1"
        return
    fi
    if [ -d "$1" ]; then
        mkdir -p "$root$1"
    else
        mkdir -p "$root$(dirname "$1")"
        : > "$root$1"
    fi
    mount --bind "$1" "$root$1"
    mount -o remount,bind,ro,nosuid,nodev "$root$1"
}

while [ "$count" -gt 0 ]; do
    readable "$1"
    shift
    count=$((count - 1))
done

mkdir -p "$root$work"
mount --bind "$work" "$root$work"
mount -o remount,bind,nosuid,nodev "$root$work"
mount -t proc proc "$root/proc"
for device in null zero full random urandom; do
    : > "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
# Tests may use the loopback interface.
ip link set lo up 2>/dev/null || true

cd "$root"
pivot_root . old
umount -l /old
mount -o remount,bind,ro /
# Prevents new privileges through another namespace.
echo 0 > /proc/sys/user/max_user_namespaces
cd "$cwd"
exec setpriv --no-new-privs --inh-caps=-all --bounding-set=-all -- "$@"
