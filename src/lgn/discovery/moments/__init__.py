"""Unknown symmetries in closed form: the linear maps that keep the moments of data."""
