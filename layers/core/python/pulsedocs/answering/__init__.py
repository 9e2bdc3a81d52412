"""From selected passages to an answer whose every sentence is tied to words on a page."""
