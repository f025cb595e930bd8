"""Here, so that tests of domains can import `traces`."""
