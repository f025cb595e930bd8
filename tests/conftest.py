"""Settings of all tests."""

import hypothesis

# No test asserts on time, and hypothesis' deadline would.
hypothesis.settings.register_profile("metatrace", deadline=None)
hypothesis.settings.load_profile("metatrace")
