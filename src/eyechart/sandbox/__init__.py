"""Running programs that nobody vouches for: in a process of their own, within limits, and never knowing the answers."""
