"""Checklists: named selections of checks, figures and questions, with a verdict for each line."""
