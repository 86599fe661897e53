"""What `make_results.py` writes between the markers of each page."""
