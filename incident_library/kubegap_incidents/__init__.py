"""The incident library: public incidents as data, with no I/O beyond reading record files."""
