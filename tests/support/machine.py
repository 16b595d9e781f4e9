"""A machine made of fake commands, for the tests of the scripts that set
one up."""

import shutil
import subprocess
import sys
from pathlib import Path

import fake_programs
from hangs import HANGS

ROOT = Path(__file__).resolve().parents[2]
TOOLS = (
    "cat",
    "cksum",
    "cp",
    "cut",
    "dirname",
    "grep",
    "head",
    "ln",
    "mkdir",
    "rm",
    "sed",
    "sh",
    "sort",
)
TOOLS += ("env", "id", "ls", "mv", "readlink", "stat", "tail", "tr", "uname")

PACKAGES = """\
[build]
tool-pkg           ; command tool     ; a tool
old-name | new-pkg ; command newer    ; has two names
arm-pkg [armhf]    ; command arm      ; on ARM only
[gcc]
gcc-pkg            ; command gcc      ; the compiler
[other]
other-pkg          ; command other    ; another compiler
[python]
module-pkg         ; module no_such_module ; a module
[optional]
extra-pkg          ; command extra    ; nice to have
"""

# STATE/candidates has the versions of packages, a line each; any other package has 1.0.
# As the real one, apt-get installs all or nothing.  Installing X-pkg makes the command X,
# and any X the commands in STATE/brings/X.
APT_GET = """
echo "apt-get $*" >>"$STATE/log"
[ ! -e "$STATE/offline" ] || { echo "E: Unable to locate package"; exit 100; }
[ "$1" = install ] || exit 0
for word; do
    ! grep -q "^$word (none)" "$STATE/candidates" ||
        { echo "E: Package '$word' has no installation candidate"; exit 100; }
done
for word; do
    [ ! -e "$STATE/brings/$word" ] || ln -sf "$STATE/brings/$word"/* "$STATE/bin"
    case $word in *-pkg) ln -s /bin/true "$STATE/bin/${word%-pkg}"; [ $word != new-pkg ] ||
        ln -s /bin/true "$STATE/bin/newer" ;; esac
done
"""
APT_CACHE = """
[ -n "${2:-}" ] || echo " 500 http://archive.example stable/main amd64 Packages"
version=$(sed -n "s/^${2:-} //p" "$STATE/candidates")
echo "  Candidate: ${version:-1.0}"
"""


class Machine:
    """A folder with a PATH of its own, in a checkout whose path has a
    space."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.checkout = folder / "a checkout"
        self.bin = folder / "bin"
        self.bin.mkdir()
        (self.checkout / "harness/setup").mkdir(parents=True)
        for name in (
            "setup.sh",
            "venv.sh",
            "container.sh",
            "elsewhere.sh",
            "list.sh",
            "lock.sh",
        ):
            shutil.copy(ROOT / "harness/setup" / name, self.checkout / "harness/setup")
        finder = (ROOT / "harness/setup/python.sh").read_text()
        (self.checkout / "harness/setup/python.sh").write_text(
            finder.replace("/usr/bin/python3 ", "")  # it has no such file
        )
        (self.checkout / "harness/setup/packages.txt").write_text(PACKAGES)
        (self.checkout / "records").mkdir()
        compilers = "word,command,prefix\ngcc,gcc,\nother,other,\n"
        (self.checkout / "records/toolchains.csv").write_text(compilers)
        (self.checkout / "Containerfile").touch()
        (self.checkout / "requirements.lock").write_text("a==1 --hash=sha256:0\n")
        for name in TOOLS:
            found = shutil.which(name)
            assert found is not None
            (self.bin / name).symlink_to(found)

    def command(self, name: str, script: str) -> Path:
        """Puts a fake command on PATH."""
        return fake_programs.script(self.bin / name, script)

    def apt(self, uid: int = 0, candidates: str = "") -> None:
        """Gives it apt, a user, and what apt knows of some packages."""
        known = f"old-name (none)\n{candidates}\n"
        (self.folder / "candidates").write_text(known)
        self.command("apt-get", APT_GET)
        self.command("apt-cache", APT_CACHE)
        self.command("dpkg", "echo amd64")
        self.command("id", f"echo {uid}")

    def brings(self, package: str, name: str, script: str) -> None:
        """Puts a command into a package."""
        folder = self.folder / "brings" / package
        folder.mkdir(parents=True)
        fake_programs.script(folder / name, script)

    def environment(self, **extra: str) -> dict[str, str]:
        """Its PATH and nothing of this machine."""
        fixed = {
            "PATH": str(self.bin),
            "STATE": str(self.folder),
            "PYTHON": sys.executable,
        }
        return {**fixed, **extra}

    def run(
        self, script: str, *arguments: str, **extra: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs a script of harness/ without a terminal."""
        return subprocess.run(
            ["sh", self.checkout / "harness/setup" / script, *arguments],
            cwd=self.checkout,
            env=self.environment(**extra),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=HANGS,
            start_new_session=True,  # no terminal to ask on
        )

    def answer(self, text: str, after: str = "") -> tuple[int, str]:
        """Runs setup.sh on a terminal, its output sent on as `after` says, and types an answer."""
        command = f"sh harness/setup/setup.sh build {after}"
        terminal = ["/usr/bin/script", "-qec", command, "/dev/null"]
        how = {"cwd": self.checkout, "env": self.environment(), "timeout": HANGS}
        ran = subprocess.run(
            terminal, input=text, capture_output=True, text=True, **how
        )
        return ran.returncode, ran.stdout

    def log(self) -> str:
        """What the fake commands were asked to do."""
        path = self.folder / "log"
        return path.read_text() if path.exists() else ""
