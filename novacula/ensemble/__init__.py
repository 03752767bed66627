"""Many models that answer as one: forests, bagging, boosting."""

is_family = True
__all__: list[str] = []
