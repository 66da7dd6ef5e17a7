"""What runs inside the training process or container."""
