"""The right answers of the notebooks' experiments, computed from whatever results are read, and where
a reader looks whose answer is another one.  A notebook shows neither."""

from collections.abc import Callable
from typing import Any, NamedTuple

from records.faults import Failure
from records.results import NOT_HERE, Results


class Exercise(NamedTuple):
    """An experiment: what computes its answer, and a hint."""

    solve: Callable[[Results], Any]
    hint: str


def value_of(results: Results, question: str, command: str) -> Any:
    """Return the one value that answers a question in SQL.  Raises Failure,
    which names the command that measures it, where there is none."""
    for (value,) in results.query(question):
        if value is not None:
            return value
    raise Failure(f"{NOT_HERE}; `{command}` measures it")


def faster_with_more_loads(results: Results) -> set[str]:
    """Return the steps that execute fewer instructions than their parents at -O1, but more loads."""
    rows = results.query(
        """select here.snapshot, here.instructions < above.instructions and here.loads > above.loads as found
             from ladder as here
             join ladder as above
               on (above.study, above.snapshot, above.level, above.workload)
                = (here.parent_study, here.parent, here.level, here.workload)
             where (here.study, here.level, here.workload) = ('iterations', 'O1', 'roundtrip-full')"""
    )
    if not rows:
        raise Failure("no step beside its parent; `make all-iterations` measures all")
    return {row["snapshot"] for row in rows if row["found"]}


def best_against_worst_compiler(results: Results) -> float:
    """Return how many times fewer instructions the best C of the ladder executes with the best
    compiler than with the worst."""
    question = """select max(best) / min(best)
             from (select 1.0 * min(instructions) as best
                     from compilers join snapshots using (study, snapshot)
                     where workload = 'roundtrip-small' and code <> 'assembly'
                     group by compiler)"""
    return float(value_of(results, question, "make compilers"))


def instructions_a_call(results: Results) -> float:
    """Return the instructions of one call of v0's `shr` at -O0, without what it calls."""
    question = """select 1.0 * sum(instructions) / max(n) / calls
             from spent join entered using (study, snapshot, function)
             where (study, snapshot, level, function) = ('iterations', 'v0', 'O0', 'shr')
             having calls"""
    return float(value_of(results, question, "make all-iterations"))


def most_branches(results: Results) -> str:
    """Return the snapshot of width-64 with the largest share of branches at -O1."""
    question = """select snapshot from ladder
             where (study, workload, level) = ('width-64', 'roundtrip-full', 'O1')
             order by branches / instructions desc limit 1"""
    return str(value_of(results, question, "make studies"))


def error_of_lees_ticks(results: Results) -> float:
    """Return by how many per cent ticks of a step and its parent differ at most where the
    instructions are the same."""
    question = """select 100 * max(max(child.ticks / parent.ticks, parent.ticks / child.ticks) - 1) as largest
             from (select snapshot, level, ticks + 0.0 as ticks from lee) as child
             join ladder using (snapshot, level)
             join (select snapshot, level, ticks + 0.0 as ticks from lee) as parent
               on (parent.snapshot, parent.level) = (ladder.parent, ladder.level)
             where (ladder.study, ladder.workload, versus_parent) = ('width-96', 'roundtrip-full', 1)"""
    return float(value_of(results, question, "make studies"))


def cost_of_constant_time(results: Results) -> float:
    """Return how many times as many instructions a private operation of 2048 bits takes in constant time."""
    question = """select 1.0 * slow.instructions / fast.instructions as factor
             from long as slow join long as fast using (implementation, level, operation, bits, operands)
             where (implementation, level, operation, bits) = ('assembly', 'O3', 'private', 2048)
               and (slow.way, fast.way) = ('crt-constant-time', 'crt-square')"""
    return float(value_of(results, question, "make width-1024"))


def multiplications_of_a_signature(results: Results) -> float:
    """Return how many per cent of a signature's instructions with our product are long multiplications."""
    question = """select 100.0 * sum(value) filter (where metric in ('multiplies_long', 'multiplies_umaal'))
                  / sum(value) filter (where metric = 'instructions') as share
             from openssl_operations where (implementation, operation, bits) = ('ours', 'sign', 2048)"""
    return float(value_of(results, question, "make openssl-speed"))


def unit_that_does_most_with_its_area(results: Results) -> str:
    """Return the unit of 64 bits with the least product of area and time on the ECP5."""
    question = """select unit from synthesis where width = 64 and target like 'ECP5%'
             order by luts * ns limit 1"""
    return str(value_of(results, question, "make hw-synth"))


def cost_of_a_new_key(results: Results) -> float:
    """Return how many times as many instructions a power of 64 bits takes with its set-up."""
    question = """select 1.0 * new.instructions / old.instructions as factor
             from peers as new join peers as old using (peer, way, bits)
             where (peer, way, bits) = ('OpenSSL assembly', 'constant', 64)
               and (new.setup, old.setup) = ('included', 'excluded')"""
    return float(value_of(results, question, "make peers"))


def four_fewer_a_product(results: Results) -> float:
    """Return the instructions of v8 at -O1 if each call of mont_mul executed four fewer."""
    question = """select instructions - 4 * calls
             from ladder join entered using (study, snapshot)
             where (study, snapshot, level, workload, function)
                 = ('iterations', 'v8', 'O1', 'roundtrip-full', 'mont_mul')"""
    return float(value_of(results, question, "make v8"))


EXERCISES = {
    "01-ladder": Exercise(
        faster_with_more_loads,
        "A step is compared with its parent, which the column `parent` names: v4 with v2, not with v3.",
    ),
    "02-levels": Exercise(
        best_against_worst_compiler,
        "First take the minimum of each compiler over all rungs in C and all levels, then divide the"
        " largest of these by the smallest.",
    ),
    "03-call-graphs": Exercise(
        instructions_a_call,
        "`spent` has the instructions of all n round trips, `entered` the calls of one.",
    ),
    "04-instruction-mix": Exercise(
        most_branches,
        "A share is branches / instructions of the same row; the level is O1.",
    ),
    "05-against-the-sources": Exercise(
        error_of_lees_ticks,
        "Select the rows whose column `versus_parent` is 1, and look up the parent's ticks.",
    ),
    "06-multiplication": Exercise(
        cost_of_constant_time,
        "Divide the row `crt-constant-time` by the row `crt-square`, both of 2048 bits.",
    ),
    "07-openssl": Exercise(
        multiplications_of_a_signature,
        "Add the two metrics, and divide by the row `instructions`.",
    ),
    "08-hardware": Exercise(
        unit_that_does_most_with_its_area,
        "Take the rows of width 64 whose target begins with ECP5.",
    ),
    "09-limit": Exercise(
        cost_of_a_new_key,
        "Divide the row `included` of 64 bits by the row `excluded`.",
    ),
    "10-your-own-rung": Exercise(
        four_fewer_a_product,
        "What is saved is four times the calls of `mont_mul` in one round trip of v8.",
    ),
}
