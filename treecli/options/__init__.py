"""Options without click: how one is declared, read from words, and hinted at."""
