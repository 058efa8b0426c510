"""The screens, one module each. Only the first is imported before the first paint."""
