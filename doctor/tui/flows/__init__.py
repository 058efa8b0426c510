"""What the user can do, one module for each act: ask, act, tell what came of it."""
