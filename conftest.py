"""What holds for every test: how many random cases the gate draws, and a heap that is not searched again and again."""

import gc

from hypothesis import settings

settings.register_profile("gate", settings.get_profile("ci"), max_examples=40)


def pytest_collection_finish() -> None:
    """Tests begin: modules and tests stay to the end, so that collecting garbage need not look at them."""
    gc.collect()
    gc.freeze()
