"""Boards made of files and fake commands: Raspberry Pi 3, 4, 5, and a
container with nothing."""

from pathlib import Path

import fake_programs

CC = """case $1 in
-print-file-name=*) echo /usr/arm-linux-gnueabihf/lib/libc.a ;;
*) echo "arm-linux-gnueabihf-gcc (Debian 12.2.0-14) 12.2.0" ;;
esac"""
QEMU = """case $1 in
--version) echo "qemu-arm version 7.2.22" ;;
*) echo "-plugin string" ;;
esac"""
TOOLS = {
    "make": "",
    "git": "",
    "gcc": "",
    "id": "echo 1000",
    "arm-linux-gnueabihf-gcc": CC,
}


class Board:
    """A root folder, a folder of commands for PATH, and a checkout."""

    def __init__(self, folder: Path) -> None:
        self.root, self.bin, self.checkout = (
            folder / "root",
            folder / "bin",
            folder / "checkout",
        )
        for path in (self.root, self.bin, self.checkout):
            path.mkdir()

    def file(self, name: str, text: str) -> None:
        """A file under the root."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def command(self, name: str, script: str) -> None:
        """A command on PATH."""
        fake_programs.script(self.bin / name, script)

    def cores(self, kilohertz: int, governor: str, number: int = 4) -> None:
        """Processor cores that all run at one frequency."""
        for core in range(number):
            place = f"sys/devices/system/cpu/cpu{core}/cpufreq"
            self.file(f"{place}/scaling_cur_freq", f"{kilohertz}\n")
            self.file(f"{place}/scaling_governor", f"{governor}\n")

    def system(self, machine: str, bits: int, page: int) -> None:
        """What uname and getconf say."""
        self.command("uname", f"echo {machine}")
        self.command(
            "getconf", f"case $1 in LONG_BIT) echo {bits} ;; *) echo {page} ;; esac"
        )

    def zone(self, number: int, kind: str, thousandths: object) -> None:
        """A thermal zone."""
        self.file(f"sys/class/thermal/thermal_zone{number}/type", kind + "\n")
        self.file(f"sys/class/thermal/thermal_zone{number}/temp", f"{thousandths}\n")


def pi(
    folder: Path, model: str, pmu: str, throttled: str, paranoid: int, perf: str
) -> Board:
    """What every Raspberry Pi here has."""
    board = Board(folder)
    for name, script in TOOLS.items():
        board.command(name, script)
    board.file("proc/device-tree/model", f"Raspberry Pi {model}\0")
    for device in (pmu, "breakpoint", "software", "tracepoint"):
        board.file(f"sys/bus/event_source/devices/{device}/type", "8\n")
    board.file("proc/sys/kernel/perf_event_paranoid", f"{paranoid}\n")
    board.command("perf", f"echo perf version {perf}")
    say = f'case $1 in get_throttled) echo throttled={throttled} ;; *) echo "temp=48.3\'C" ;; esac'
    board.command("vcgencmd", say)
    return board


def pi3(folder: Path) -> Board:
    """A 3B+ with a 32-bit kernel: hot, slowed down, perf forbidden, no
    emulator."""
    board = pi(
        folder, "3 Model B Plus Rev 1.3", "armv7_cortex_a7", "0x80008", 3, "5.10.223"
    )
    board.system("armv7l", 32, 4096)
    board.cores(1_200_000, "ondemand")
    board.zone(0, "cpu-thermal", 61_224)
    return board


def pi4(folder: Path) -> Board:
    """A Pi 4 whose kernel has 64 bits and whose programs have 32; its
    supply sagged once."""
    board = pi(folder, "4 Model B Rev 1.4", "armv8_cortex_a72", "0x50000", 2, "6.1.187")
    board.system("aarch64", 32, 4096)
    board.cores(1_800_000, "performance")
    board.zone(0, "cpu-thermal", 48_300)
    board.command("qemu-arm", QEMU)
    return board


def pi5(folder: Path) -> Board:
    """A Pi 5 with its stock kernel and Debian 13, whose emulator loads no
    plugins."""
    board = pi(folder, "5 Model B Rev 1.0", "armv8_cortex_a76", "0x0", 2, "6.12.41")
    board.system("aarch64", 64, 16384)
    board.cores(2_400_000, "performance")
    board.zone(0, "cpu-thermal", 50_100)
    board.command("qemu-arm", 'echo "qemu-arm version 10.0.2"')
    return board


def container(folder: Path) -> Board:
    """Nothing at all."""
    return Board(folder)
