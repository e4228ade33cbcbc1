"""Model trees."""
