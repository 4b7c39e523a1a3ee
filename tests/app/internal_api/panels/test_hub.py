"""News of a question reach all who follow it in this process, and nobody else."""

from app.internal_api.panels.hub import Hub


def test_all_followers_of_a_question_are_woken_and_no_others() -> None:
    hub = Hub()

    with hub.following("a") as first, hub.following("a") as second, hub.following("b") as other:
        hub.tell("a")

        assert (first.is_set(), second.is_set(), other.is_set()) == (True, True, False)


def test_nothing_is_kept_of_a_question_that_nobody_follows_any_more() -> None:
    hub = Hub()

    with hub.following("a"):
        with hub.following("a"):
            pass
        assert hub.followed == {"a"}
    hub.tell("a")

    assert hub.followed == frozenset()


def test_who_follows_anew_while_others_leave_is_still_woken() -> None:
    hub = Hub()
    with hub.following("a"):
        pass

    with hub.following("a") as news:
        hub.tell("a")

        assert news.is_set()
