from hypothesis import HealthCheck, settings

# Hypothesis tries the same examples every time; to try others, ten times as many:
# --hypothesis-profile=explore --hypothesis-seed=N
_COMMON = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
settings.register_profile("same", _COMMON, derandomize=True)
settings.register_profile("explore", _COMMON, max_examples=1000)
settings.load_profile("same")
