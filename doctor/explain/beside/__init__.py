"""What stands in a text beside a failure, or without any, and uses the same words."""
