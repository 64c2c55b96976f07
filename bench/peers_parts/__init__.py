"""What bench/peers is made of."""
