import pytest


@pytest.fixture
def anyio_backend() -> str:
    """Run what is marked so on asyncio, as the gateway does."""
    return "asyncio"
