"""Files of the user: opened, guarded, compressed, and written whole or not at all."""
