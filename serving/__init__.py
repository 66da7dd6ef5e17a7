"""What runs inside the serving process or container."""
