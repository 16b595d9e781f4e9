"""The live page in a browser: it counts what the reference says, and names what is wrong."""

import csv
import re
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
from firefox import Firefox
from hangs import wait_until
from live_page import answered, wait
from needs import needs, require
from representatives import mostly_long

from labs import lab
from records import ladder
from records.ladder import LEVELS, ROOT
from records.results import load, reference
from rsalab.live import page

pytestmark = needs("arm-linux-gnueabihf-gcc")
CELLS = [(rung.name, level) for rung in ladder.snapshots() for level in LEVELS]
WRONG = list(
    csv.DictReader(
        (Path(__file__).parent / "wrong_programs.csv").open(encoding="utf-8")
    )
)
FEW = [("v3", "O3"), ("v7", "O1"), ("v8", "O1")]  # NEON, C, assembly
METRICS = ("instructions", "loads", "stores", "branches", "multiplies", "neon")


def run(driver: Any, rung: str, level: str, old: str = "", new: str = "") -> str:
    """Return the verdict on a rung, of which a part is replaced."""
    driver.execute_script(
        "localStorage.clear(); choose(arguments[0], arguments[1]);", rung, level
    )
    if not old:
        return wait(driver)
    text = driver.execute_script("return document.getElementById('text').value")
    assert old in text
    changed = text.replace(old, new, 1)
    driver.execute_script(
        "document.getElementById('text').value = arguments[0]; run();", changed
    )
    return wait(driver)


@pytest.mark.parametrize(("rung", "level"), mostly_long(CELLS, FEW))
def test_counts_are_those_of_the_reference(live: Any, rung: str, level: str) -> None:
    results = load(reference())
    compiled = (ROOT / "build/flags").read_text().splitlines()[0]
    if compiled != results.machine["compiler"]:
        pytest.skip("another compiler than the reference's")
    assert run(live, rung, level).startswith("Right")
    sums = live.execute_script("return counts.sums")
    means = results.means("iterations", rung, level, "mont_mul")
    assert {metric: sums[metric] for metric in METRICS} == pytest.approx(
        {metric: means.get(metric) or 0 for metric in METRICS}
    )


@pytest.mark.parametrize(
    "row", mostly_long(WRONG, WRONG[::6]), ids=lambda row: row["what"]
)
def test_a_wrong_program_is_named(live: Any, row: dict[str, str]) -> None:
    """One line says where and what; {2} in it is two lines below the one where the change begins."""
    rung, level = row["cell"].split("-")
    old, new, says = (row[name].replace("|", "\n") for name in ("old", "new", "says"))
    verdict = run(live, rung, level, old, new)
    text = str(live.execute_script("return shown.cell.text"))
    begins = text[: text.index(old)].count("\n") + 1
    lines = re.sub(r"\{(-?\d*)\}", lambda part: str(begins + int(part[1] or 0)), says)
    first, *_ = verdict.splitlines()
    assert first == lines


def test_a_program_that_is_stopped_says_which_invariant_still_holds(live: Any) -> None:
    store = "stmcs   r9, {r0-r3}"
    run(live, "v8", "O1", store, f"str     r0, [r9, #16]\n        {store}")
    answered(live)
    verdict = live.find_element("id", "verdict").text
    assert "a store behind z" in verdict
    assert verdict.endswith(" holds, and none is known behind it")


def test_steps_go_forward_and_back(live: Any) -> None:
    run(live, "v8", "O1")

    def step(how: str) -> Any:
        live.execute_script("state_before = state; step(arguments[0])", how)
        answered(live)
        return live.execute_script("return state")

    first = step("start")
    second = step("forward")
    assert (first["steps"], second["steps"]) == (0, 1)
    assert step("back")["core"] == first["core"]
    assert "r0" in live.find_element("id", "state").text


def test_the_page_asks_nothing_of_a_network(live: Any) -> None:
    loaded = live.execute_script(
        "return performance.getEntriesByType('resource').length"
    )
    assert loaded == 0
    assert live.get_log("browser") == []


def test_the_interpreter_is_what_its_command_makes(tmp_path: Path) -> None:
    require("clang", "wasm-ld")
    version = subprocess.run(["clang", "--version"], capture_output=True, text=True)
    if "clang version 14." not in version.stdout:
        pytest.skip("the committed file is clang 14's")
    asked = ["make", "-n", "live-wasm"]
    printed = subprocess.run(
        asked, cwd=ROOT, check=True, capture_output=True, text=True
    )
    made = tmp_path / "interpreter.wasm"
    command = printed.stdout.replace("rsalab/live/interpreter.wasm", str(made))
    subprocess.run(command, cwd=ROOT, check=True, shell=True)
    assert made.read_bytes() == (page.HERE / "interpreter.wasm").read_bytes()


@pytest.mark.long
@pytest.mark.parametrize(("rung", "level"), [("v3", "O1"), ("v0", "O3"), ("v5", "O0")])
def test_code_of_gcc_is_edited(live: Any, rung: str, level: str) -> None:
    """An instruction more is counted at its line; one of NEON that is not known is named there."""
    assert run(live, rung, level).startswith("Right")
    before = live.execute_script("return counts.sums")
    assert run(live, rung, level, "mont_mul:\n", "mont_mul:\n\tnop\n").startswith(
        "Right"
    )
    after, lines = live.execute_script("return [counts.sums, counts.lines]")
    text = live.execute_script("return $('text').value").splitlines()
    line = text.index("mont_mul:") + 2
    called = lines[str(line)]
    assert called >= 1 and called == int(called)
    assert after["instructions"] == pytest.approx(before["instructions"] + called)
    verdict = run(live, rung, level, "mont_mul:\n", "mont_mul:\n\tvrecpe.u32 q0, q1\n")
    assert verdict.startswith(f"line {line}: `vrecpe.u32` is not known")


# ---- addresses, as the explorer and the pages of the rungs write them ----


def go(driver: Any, fragment: str) -> list[str]:
    """Show what a fragment of the page's address names; return the rung, the level and the function
    that it shows.  A browser takes no more than some hundred addresses in ten seconds."""
    script = """
        openFragment(arguments[0]);
        return ["rung", "level", "function"].map((id) => $(id).value);"""
    found: list[str] = driver.execute_script(script, fragment)
    return found


@pytest.mark.parametrize(("rung", "level"), mostly_long(CELLS, FEW))
def test_an_address_opens_its_rung_and_function(
    live: Any, rung: str, level: str
) -> None:
    go(live, "v8-O3")
    assert go(live, f"{rung}-{level}") == [rung, level, "mont_mul"]
    names = live.execute_script(
        "return functionsOf(shown.cell.text).map(([name]) => name)"
    )
    for name in names:
        assert go(live, f"{rung}-{level}-{name}") == [rung, level, name]
    inside = live.execute_script(
        "return $('text').scrollTop / LINE < functionsOf(shown.cell.text).at(-1)[1]"
    )
    assert inside


def test_an_address_that_names_nothing_says_so(live: Any) -> None:
    assert go(live, "v5-O3-add") == ["v5", "O3", "mont_mul"]
    assert "add has no code of its own at -O3" in live.find_element("id", "idea").text
    assert go(live, "alone/ordered-O1") == ["v8", "O1", "mont_mul"]
    assert "no rung “alone/ordered” here" in live.find_element("id", "idea").text


# ---- exercises ----

PREDICTED = "O0 3..4 mont_mul\nO1 1..1.5 mont_mul\nO3 3..4 mont_mul"


def answer(driver: Any, exercise: str, text: str, prediction: str = "") -> str:
    """Return the verdict on the text of an exercise."""
    driver.execute_script("localStorage.clear(); choose(arguments[0], 'O1');", exercise)
    wait(driver)
    script = """
        if (arguments[1]) document.getElementById("predict").value = arguments[1];
        document.getElementById("text").value = arguments[0];
        run();"""
    driver.execute_script(script, text, prediction)
    return wait(driver)


def test_an_exercise_counts_nothing_before_a_prediction(live: Any) -> None:
    verdict = answer(live, "lab7", (ROOT / "iterations/v8/mont.S").read_text())
    assert verdict.startswith("right at -O0 -O1 -O3")
    assert "no prediction for O0, O1, O3" in verdict
    assert live.find_element("id", "result").text == ""
    counts = live.find_element("id", "counts").text
    assert "instructions" not in counts and "appear here" in counts


@pytest.mark.parametrize(
    ("exercise", "solution"),
    [("lab7", "iterations/v8/mont.S"), ("lab9", "labs/09-six-limbs/solution/mont.S")],
)
def test_the_solution_of_an_exercise_is_right(
    live: Any, exercise: str, solution: str
) -> None:
    verdict = answer(live, exercise, (ROOT / solution).read_text(), PREDICTED)
    assert verdict.startswith("right at") and "slow" not in verdict
    assert "x1.00" in live.find_element("id", "result").text


def test_a_function_that_no_program_has_is_refused(live: Any) -> None:
    solution = (ROOT / "iterations/v8/mont.S").read_text()
    verdict = answer(live, "lab7", solution, PREDICTED.replace("mont_mul", "mont_mol"))
    assert (
        "no function 'mont_mol' in either program; there are: mod_exp mont_mul"
        in verdict
    )


def test_the_function_that_changes_most_is_judged(live: Any) -> None:
    """In exercise 9 the start is all in C: most is saved in a function of the C."""
    solution = (ROOT / "labs/09-six-limbs/solution/mont.S").read_text()
    prediction = PREDICTED.replace("O1 1..1.5 mont_mul", "O1 4..5 add_multiple")
    answer(live, "lab9", solution, prediction)
    script = "return [...document.querySelectorAll('#result tr')].map((row) => row.innerText)"
    rows = [row.split("\t") for row in live.execute_script(script)]
    (judged,) = [row for row in rows if row[:2] == ["-O1", "x4 to x5"]]
    assert judged[3:] == ["right", "add_multiple", "add_multiple", "right"]
    (spent,) = [row for row in rows if row[0] == "add_multiple"]
    assert all(cell.endswith(" -> 0") for cell in spent[1:])


def test_an_exercise_says_unchanged_slow_and_wrong(live: Any) -> None:
    start = (ROOT / "labs/07-first-umaal/start/mont.S").read_text()
    assert answer(live, "lab7", start).startswith("unchanged")
    assert "slow: x3" in answer(live, "lab7", start + "\n nop\n", PREDICTED)
    assert "mont_mul" in live.find_element("id", "predict").get_attribute("value")
    assert answer(live, "lab7", start.replace("adc ", "add "), PREDICTED).startswith(
        "wrong: "
    )
    solution = (ROOT / "iterations/v8/mont.S").read_text()
    assert "the ends of 5..1" in answer(live, "lab7", solution, "O1 5..1 mont_mul")


@pytest.mark.long
def test_an_exercise_in_c_is_kept_and_counts_start_and_solution(live: Any) -> None:
    """The start's counts grow with the bits of the exponent, the solution's do not."""
    start = str((ROOT / "iterations/v6/rsa.c").read_text())
    assert answer(live, "lab8", start).startswith("unchanged")
    changed = start + "int more;\n"
    verdict = answer(live, "lab8", changed)
    assert "no compiler for C" in verdict and "no prediction for O0" in verdict
    answer(live, "lab8", changed, PREDICTED)
    cells = (
        "return [...$('result').querySelectorAll('td')].map((one) => one.textContent)"
    )
    found = live.execute_script(cells)
    for name, least, most in (("start", 1.5, 2.5), ("solution", 0.98, 1.02)):
        at = found.index(name) + 1
        none, *_, every = (int(text.replace(",", "")) for text in found[at : at + 4])
        assert least < every / none < most
    live.execute_script("typed(); choose('v8', 'O1'); choose('lab8', 'O3')")
    wait(live)
    assert live.execute_script("return $('text').value") == changed
    assert not live.find_element("class name", "stepping").is_displayed()
    live.execute_script("choose('v8', 'O1')")
    assert live.find_element("class name", "stepping").is_displayed()


def test_the_folder_is_one_that_make_lab_takes(live: Any, tmp_path: Path) -> None:
    live.execute_script("localStorage.clear(); choose('lab7', 'O1');")
    wait(live)
    script = """
        const done = arguments[0];
        folder().arrayBuffer().then((all) => done([...new Uint8Array(all)]));"""
    packed = tmp_path / "lab.zip"
    packed.write_bytes(bytes(live.execute_async_script(script)))
    with zipfile.ZipFile(packed) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path)
    exercise = lab.find("7")
    folder = tmp_path / exercise.name
    assert lab.sources_of(folder) == exercise.starter()
    assert lab.predictions((folder / lab.FILE).read_text(), exercise.starter()) == {}


# ---- another browser ----


@pytest.mark.long
def test_firefox_runs_the_page(tmp_path: Path) -> None:
    require("firefox-esr")
    out = tmp_path / "live.html"
    out.write_text(page.build(), encoding="utf-8")
    profile = tmp_path / "profile"
    profile.mkdir()
    browser = Firefox(profile, "firefox-esr")
    try:
        browser.ask("WebDriver:Navigate", url=out.as_uri())

        def says(name: str, start: str) -> bool:
            script = f"return document.getElementById('{name}').textContent"
            return str(browser.run(script)).startswith(start)

        wait_until(lambda: says("verdict", "Right"), "it is right")
        browser.run("document.querySelector('[data-how=forward]').click()")
        wait_until(lambda: says("state", "After 1 instruction."), "it has stepped")
    finally:
        browser.quit()


def test_a_step_shows_the_row_within_a_macro_and_the_product(live: Any) -> None:
    """Before the line that puts the last word of t away, t is the whole product x y."""
    verdict = run(live, "v8", "O1")
    assert verdict.startswith("Right")
    shown = ""
    for how in ["start"] + ["line"] * 12:
        live.find_element("css selector", f"[data-how={how}]").click()
        answered(live)
        shown = live.find_element("id", "state").text
        if "product_row 1" in shown:
            live.find_element("css selector", "[data-how=forward]").click()
            answered(live)
            assert "umaal" in live.find_element("id", "state").text
            live.find_element("css selector", "[data-how=back]").click()
            answered(live)
        if "= x y" in shown:
            break
    assert "= x y" in shown


def test_a_fault_in_the_powers_names_the_power(live: Any) -> None:
    old = "mod_exp:"
    verdict = run(live, "v5", "O3", old, "mod_exp:\n\t.word 0xffffffff")
    assert "vector 1 of mod_exp: line" in verdict


# ---- cycles of the Cortex-M4's model ----


@pytest.mark.parametrize("level", LEVELS)
def test_cycles_of_assembly_by_hand_are_those_of_the_record(
    live: Any, level: str
) -> None:
    run(live, "v8", level)
    rung = ladder.find("v8")
    assert live.execute_script("return counts.model") == {
        "cycles": page.recorded_cycles(rung, level)
    }


def test_a_loop_pays_for_its_jumps(live: Any) -> None:
    run(live, "v8", "O1")
    straight = live.execute_script("return counts.model.cycles")
    old = "ldm     r1, {x0"
    loop = "mov r12, #5\n1: subs r12, r12, #1\n bne 1b\n"
    run(live, "v8", "O1", old, loop + old)
    refill = page.model()["table"]["refill"]
    added = 1 + 5 * 2 + 4 * refill
    assert live.execute_script("return counts.model.cycles") == straight + added


def test_what_has_no_cycles_says_why(live: Any) -> None:
    old = "ldm     r1, {x0"
    assert run(live, "v8", "O1", old, f"add r12, r12, r12, lsl r3\n{old}").startswith(
        "Right"
    )
    says = live.find_element("id", "counts").text
    assert "Thumb-2 has no `add` whose operand a register shifts" in says
    run(live, "v5", "O1")
    says = live.find_element("id", "counts").text
    assert "none of this text" in says and "for which gcc makes other code" in says
