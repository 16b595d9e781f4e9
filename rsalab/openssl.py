"""What openssl.csv says: RSA operations of OpenSSL with our Montgomery product, and without.
openssl.sql has the tables, of the sizes of which every operation was counted with every build."""

from records.results import Results

MISSING = "OpenSSL's operations are not counted here; `make openssl-speed` counts them"


def text(results: Results) -> str:
    """What was counted, and the times of theirs and of ours by model (Markdown)."""
    times = (results.table(__file__, "times", whose="here", ours=ours) for ours in (False, True))
    tables = results.table(__file__, "instructions"), *times
    return "\n\n".join(table.markdown for table in tables)
