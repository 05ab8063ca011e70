"""How hypothesis tests everywhere: without a time limit, which a busy machine would miss."""

from hypothesis import settings

settings.register_profile("respell", deadline=None)
settings.load_profile("respell")
