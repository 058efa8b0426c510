"""Parts of screens. None of them decides anything: they show what they are given."""
