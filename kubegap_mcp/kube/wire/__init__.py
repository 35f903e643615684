"""The few fields of API objects that facts are made of, as msgspec decodes them."""
