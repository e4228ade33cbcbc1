"""Several trees that predict together: bagged and boosted."""
