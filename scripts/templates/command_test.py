"""scvet @WORDS@ over real files."""


def test_it_does_what_its_help_says(scvet):
    scvet(*["@WORDS@"])
