"""What a step did, in one word, by instructions."""

THRESHOLD = 0.01  # of the parent's instructions
WORDS = ("helps", "no difference", "hurts")


def verdict(child: float, parent: float) -> str:
    """`helps` or `hurts` when the child executes at least 1 % fewer or more instructions than its
    parent, else `no difference`.  Both are means per operation at the same level."""
    change = child / parent - 1
    if change <= -THRESHOLD:
        return "helps"
    return "hurts" if change >= THRESHOLD else "no difference"
