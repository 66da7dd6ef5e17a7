"""What an apply would do, said without a server."""

from deploy.deployments.difference import Change, FieldChange, Found, compare, differing

WEEKLY = {"schedule": "0 3 * * mon, UTC", "params.epochs": "10"}


def test_every_deployment_has_its_word_and_every_field_its_old_and_new_value() -> None:
    declared = {"a/new": WEEKLY, "a/same": WEEKLY, "a/other": {**WEEKLY, "params.epochs": "12"}}
    found = {
        "a/same": Found(WEEKLY),
        "a/other": Found({**WEEKLY, "params.old": "1"}),
        "a/gone": Found(WEEKLY),
        "a/retired": Found(WEEKLY, ("retired",), is_retired=True),
        "a/of-another-machine": Found(WEEKLY),
    }

    changes = compare(declared, found, applied={"a/same", "a/gone", "a/retired"})

    assert changes == [
        Change("a/new", "created"),
        Change("a/same", "unchanged"),
        Change(
            "a/other",
            "changed",
            (FieldChange("params.epochs", "10", "12"), FieldChange("params.old", "1", "")),
        ),
        Change("a/gone", "no longer declared"),
        Change("a/retired", "unchanged", notes=("retired",)),
    ]
    assert [change.name for change in differing(changes)] == ["a/new", "a/other", "a/gone"]


def test_what_a_person_did_is_said_and_is_no_difference() -> None:
    (change,) = compare(
        {"a/same": WEEKLY}, {"a/same": Found(WEEKLY, ("paused by a person",))}, set()
    )

    assert change == Change("a/same", "unchanged", notes=("paused by a person",))
    assert differing([change]) == []
