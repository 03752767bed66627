"""`python -m fuzz [--only models,tables] [--minutes 1] [--seed 0] [--most N]`: attack, and report what hurt."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from fuzz.campaign import Campaign
from fuzz.target import TARGETS

FINDS = Path(__file__).parent / "finds" / "new"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the campaigns one after the other; gives how many inputs hurt."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Try inputs that are made to hurt.")
    parser.add_argument("--only", default=",".join(TARGETS), help="targets, with commas between them")
    parser.add_argument("--minutes", type=float, default=1.0, help="for each target, after it is ready")
    parser.add_argument("--seed", type=int, default=0, help="another seed makes other inputs")
    parser.add_argument("--most", type=int, help="inputs of each target, at most")
    parser.add_argument("--keep", type=Path, default=FINDS, help="folder for the inputs that hurt")
    asked = parser.parse_args(arguments)
    hurt = 0
    for target in asked.only.split(","):
        campaign = Campaign(target.strip(), asked.seed, asked.keep, say=lambda line: print(line, flush=True))
        tally = campaign.run(seconds=60 * asked.minutes, most=asked.most)
        print(f"{target}: {tally.total} inputs, {len(tally.finds)} finds")
        for outcome, times in tally.outcomes.most_common():
            print(f"  {times:8}  {outcome}")
        hurt += len(tally.finds)
    return hurt


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
