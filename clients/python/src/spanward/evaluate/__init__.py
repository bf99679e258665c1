"""``python -m spanward.evaluate``: runs experiments, and fails builds where they do not meet requirements."""
